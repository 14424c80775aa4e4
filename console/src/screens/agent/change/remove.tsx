import { useId, useState } from "preact/hooks";

import { isConflict } from "../../../daemon/intention";
import { useSubmission } from "../../../daemon/submission";
import { Answers, Dialog } from "../../../view/dialog";
import { Fields } from "../../../view/fields";
import { Inert } from "../../../view/inert";
import { Problem } from "../../../view/notice";
import type { AnyRecord } from "../kinds";
import { readOrNone, revisionOf } from "./edit";
import type { Target } from "./target";

const NAME_MAX = 200;

interface Props {
  target: Target;
  onClose: () => void;
  onRemoved: () => void;
}

/** Asks whether a record shall go, and removes it if it is still the one that was seen. */
export function Remove({ target, onClose, onRemoved }: Props) {
  const { noun, removal } = target;
  /** What the record became meanwhile, if that is known to be something else. */
  const [newer, setNewer] = useState<AnyRecord>();
  const [erases, setErases] = useState(false);
  const { isBusy, failure, submit } = useSubmission<unknown>();
  const id = useId();
  const seen = newer ?? target.record;
  const remove = () => {
    void submit(removal.change(revisionOf(seen), erases), onRemoved, async (error) => {
      if (!isConflict(error)) return false;
      const newest = await readOrNone(target);
      if (!newest) onRemoved();
      else if (revisionOf(newest) === revisionOf(seen)) return false;
      else setNewer(newest);
      return true;
    });
  };
  return (
    <Dialog title={`${removal.verb} the ${noun}?`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove();
        }}
      >
        <p>
          <Inert text={target.name} max={NAME_MAX} />
        </p>
        <p class="dim">{removal.effect}</p>
        {removal.canErase && (
          <label for={id} class="choice">
            <input
              id={id}
              type="checkbox"
              checked={erases}
              onChange={(event) => {
                setErases(event.currentTarget.checked);
              }}
            />
            Also erase it from the journal, at once
          </label>
        )}
        {newer && (
          <section class="newer" role="alert">
            <p>It was changed since you opened it. Now it is:</p>
            <Fields record={newer} />
          </section>
        )}
        {failure && <Problem error={failure} />}
        <Answers action={`${removal.verb} the ${noun}`} isBusy={isBusy} isHarmful onCancel={onClose} />
      </form>
    </Dialog>
  );
}
