import type { RefObject } from "preact";
import { useId, useState } from "preact/hooks";

import { wordsOf } from "../../../daemon/call";
import { isConflict } from "../../../daemon/intention";
import { useSubmission } from "../../../daemon/submission";
import { Answers, Dialog } from "../../../view/dialog";
import { Value } from "../../../view/fields";
import { Inert, Line } from "../../../view/inert";
import { Problem } from "../../../view/notice";
import type { AnyRecord } from "../kinds";
import type { Editing, Target } from "./target";

interface Props {
  target: Target;
  editing: Editing;
  /** What was typed and not saved: it is there again when the dialog is opened again. */
  draft: RefObject<string | null>;
  onClose: () => void;
  onSaved: (record: AnyRecord) => void;
}

/** Asks for another text of a record, and saves it if the record is still the one that was seen. */
export function Edit({ target, editing, draft, onClose, onSaved }: Props) {
  const [text, setText] = useState(draft.current ?? editing.textOf(target.record));
  const [fault, setFault] = useState("");
  /** What the record became meanwhile, if that is known to be something else; undefined in it if it was deleted. */
  const [newer, setNewer] = useState<{ record: AnyRecord | undefined }>();
  const { isBusy, failure, submit } = useSubmission<AnyRecord>();
  const id = useId();
  const seen = newer ? newer.record : target.record;

  const type = (value: string) => {
    draft.current = value;
    setText(value);
    setFault("");
  };
  const save = () => {
    const found = editing.isJson ? faultOf(text) : "";
    setFault(found);
    if (found) return;
    const onDone = (response: AnyRecord) => {
      draft.current = null;
      onSaved({ ...target.record, ...editing.changed(text, response) });
    };
    void submit(editing.change(text, revisionOf(seen)), onDone, async (error) => {
      if (!isConflict(error)) return false;
      const newest = await readOrNone(target);
      // Without another record, it was refused for another reason.
      if (newest && seen && revisionOf(newest) === revisionOf(seen)) return false;
      setNewer({ record: newest });
      return true;
    });
  };
  const isSame = seen !== undefined && text === editing.textOf(seen);
  return (
    <Dialog title={`Edit the ${target.noun}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <p class="dim line">
          <Line text={target.name} />
        </p>
        <label for={id}>{editing.title}</label>
        <textarea
          id={id}
          class={editing.isJson ? "mono" : ""}
          rows={8}
          autofocus
          spellcheck={!editing.isJson}
          aria-invalid={fault !== ""}
          aria-describedby={fault ? `${id}-fault` : undefined}
          value={text}
          onInput={(event) => {
            type(event.currentTarget.value);
          }}
        />
        {fault && (
          <p id={`${id}-fault`} class="notice bad" role="alert">
            This is no JSON: {fault}
          </p>
        )}
        {newer && <Newer record={newer.record} editing={editing} onTake={type} />}
        {failure && <Problem error={failure} />}
        <Answers
          action={newer ? "Save all the same" : "Save"}
          isBusy={isBusy}
          isRefused={isSame}
          onCancel={() => {
            draft.current = null;
            onClose();
          }}
        />
      </form>
    </Dialog>
  );
}

/** What a record became while somebody edited it. */
function Newer({
  record,
  editing,
  onTake,
}: {
  record: AnyRecord | undefined;
  editing: Editing;
  onTake: (text: string) => void;
}) {
  if (!record) {
    return (
      <p class="notice" role="alert">
        It was deleted since you opened it. Your draft is kept.
      </p>
    );
  }
  const text = editing.textOf(record);
  return (
    <section class="newer" role="alert">
      <p>It was changed since you opened it. Your draft is kept. Now it is:</p>
      {editing.isJson ? <Value json={text} /> : <Inert text={text} />}
      <button
        type="button"
        onClick={() => {
          onTake(text);
        }}
      >
        Take this instead
      </button>
    </section>
  );
}

/** Return the revision of a record; 0 for none. */
export function revisionOf(record: AnyRecord | undefined): string {
  return (record?.revision ?? "0") as string;
}

/** Return a record as it is now, or undefined if it is not there. */
export async function readOrNone(target: Target): Promise<AnyRecord | undefined> {
  try {
    return await target.read();
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
}

function faultOf(json: string): string {
  try {
    JSON.parse(json);
    return "";
  } catch (error) {
    return wordsOf(error);
  }
}
