import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What was chosen in a list, beside it; above it where the page is narrow. Escape closes it. */
export function Detail({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLElement>(null);
  const opener = useRef<Element>(null);
  // Not later: a key may be faster than what runs once the page is drawn.
  useLayoutEffect(() => {
    opener.current = document.activeElement;
    const note = (event: KeyboardEvent) => {
      // A dialog above it is closed first.
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) onClose();
    };
    window.addEventListener("keydown", note);
    return () => {
      window.removeEventListener("keydown", note);
      if (opener.current instanceof HTMLElement) opener.current.focus();
    };
  }, []);
  return (
    <aside class="detail card" ref={box} aria-label={title} tabIndex={0}>
      <div class="head">
        <h2>{title}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </aside>
  );
}
