import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const MARGIN_ROWS = 8;

interface Props {
  label: string;
  count: number;
  /** Height of each row, in pixels. */
  height: number;
  row: (index: number) => ComponentChildren;
  /** Note that rows up to this number are about to be seen. */
  need?: (count: number) => void;
}

/** A list of which only the rows in sight are in the page, so that it may have any number. */
export function Rows({ label, count, height, row, need }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      setSight({ top: element.scrollTop, height: element.clientHeight });
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);

  const first = Math.max(0, Math.floor(sight.top / height) - MARGIN_ROWS);
  const end = Math.min(count, Math.ceil((sight.top + sight.height) / height) + MARGIN_ROWS);
  useEffect(() => {
    need?.(Math.ceil((sight.top + sight.height) / height) + MARGIN_ROWS);
  }, [sight, need, height]);

  const shown = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
  return (
    <div ref={box} class="rows" tabIndex={0} role="region" aria-label={label} onKeyDown={moveFocus}>
      <ul style={{ height: `${count * height}px` }}>
        {shown.map((index) => (
          <li
            key={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ top: `${index * height}px`, height: `${height}px` }}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Move the focus between rows by the arrow keys. */
function moveFocus(event: KeyboardEvent): void {
  const step =
    event.key === "ArrowDown" ? "nextElementSibling" : event.key === "ArrowUp" ? "previousElementSibling" : "";
  const item = (event.target as Element).closest("li");
  if (!step || !item) return;
  const target = item[step]?.querySelector<HTMLElement>("button, a");
  if (!target) return;
  event.preventDefault();
  target.focus();
}
