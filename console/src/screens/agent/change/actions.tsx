import { useRef, useState } from "preact/hooks";

import { Intention } from "../../../daemon/intention";
import { useChanging } from "../../../view/changing";
import { Inert } from "../../../view/inert";
import type { AnyRecord } from "../kinds";
import { Confirm } from "./confirm";
import { Edit } from "./edit";
import { Remove } from "./remove";
import type { Target } from "./target";

interface Events {
  /** Note the record after a change; undefined once it is no longer in its list. */
  onChanged: (record: AnyRecord | undefined) => void;
  /** Note that a removal was undone. */
  onUndone?: () => void;
}

/** What can be done with a record, while changes are allowed. */
export function Actions({ target, ...events }: Events & { target: Target | undefined }) {
  return target ? <ActionsOf key={target.key} target={target} {...events} /> : null;
}

type Doing = "edit" | "admit" | "remove";

function ActionsOf({ target, onChanged, onUndone }: Events & { target: Target }) {
  const { announce, may } = useChanging();
  const [doing, setDoing] = useState<Doing>();
  const draft = useRef<string>(null);
  const { noun, name, editing, admission, removal } = target;
  const close = () => {
    setDoing(undefined);
  };
  const finish = (text: string, record: AnyRecord | undefined, undo?: () => Promise<unknown>) => {
    close();
    announce({ text, name, ...(undo && { undo }) });
    onChanged(record);
  };
  const removed = () => {
    const { undo } = removal;
    const way = async () => {
      if (undo) await new Intention().carryOut(undo);
      onUndone?.();
    };
    finish(`${removal.done}:`, undefined, undo && mayWrite ? way : undefined);
  };
  const mayWrite = may("METHOD_VERB_WRITE");
  const buttons: readonly (readonly [Doing, string])[] = [
    ...(editing && mayWrite ? [["edit", "Edit…"] as const] : []),
    ...(admission && mayWrite ? [["admit", `${admission.verb}…`] as const] : []),
    ...(may("METHOD_VERB_DELETE") ? [["remove", `${removal.verb}…`] as const] : []),
  ];
  if (buttons.length === 0) return null;
  return (
    <div class="actions">
      {buttons.map(([each, title]) => (
        <button
          type="button"
          key={each}
          onClick={() => {
            setDoing(each);
          }}
        >
          {title}
        </button>
      ))}
      {doing === "edit" && editing && (
        <Edit
          target={target}
          editing={editing}
          draft={draft}
          onClose={close}
          onSaved={(record) => {
            finish("Saved:", record);
          }}
        />
      )}
      {doing === "admit" && admission && (
        <Confirm
          title={`${admission.verb} the ${noun}?`}
          action={`${admission.verb} the ${noun}`}
          change={admission.change}
          onClose={close}
          onDone={() => {
            finish(`${admission.done}:`, undefined);
          }}
        >
          <p>
            <Inert text={name} max={200} />
          </p>
          <p class="dim">{admission.effect}</p>
        </Confirm>
      )}
      {doing === "remove" && <Remove target={target} onClose={close} onRemoved={removed} />}
    </div>
  );
}
