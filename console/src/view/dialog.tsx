import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/** A question that must be answered before anything else. Escape closes it, and the focus returns to where it was. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = box.current;
    element?.showModal();
    return () => {
      element?.close();
    };
  }, []);
  return (
    <dialog ref={box} class="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** The answers to the question of a dialog: nothing, or what `action` says. */
export function Answers({
  action,
  isBusy,
  isRefused = false,
  isHarmful = false,
  onCancel,
}: {
  action: string;
  isBusy: boolean;
  /** True while the action cannot be meant. */
  isRefused?: boolean;
  isHarmful?: boolean;
  onCancel: () => void;
}) {
  return (
    <div class="answers">
      <button type="button" autofocus={isHarmful} onClick={onCancel}>
        Cancel
      </button>
      {/* Not disabled while it is busy: the focus would be lost. */}
      <button type="submit" class={isHarmful ? "harmful" : "main"} disabled={isRefused} aria-disabled={isBusy}>
        {isBusy ? "Wait…" : action}
      </button>
    </div>
  );
}
