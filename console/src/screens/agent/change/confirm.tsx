import type { ComponentChildren } from "preact";

import type { Change } from "../../../daemon/intention";
import { useSubmission } from "../../../daemon/submission";
import { Answers, Dialog } from "../../../view/dialog";
import { Problem } from "../../../view/notice";

interface Props<Response> {
  title: string;
  /** The words of the button that carries it out. */
  action: string;
  /** The change, or undefined while it cannot be meant. */
  change: Change | undefined;
  isHarmful?: boolean;
  onClose: () => void;
  onDone: (response: Response) => void;
  children: ComponentChildren;
}

/** Asks whether a change is meant, with its effects as children, and carries it out. */
export function Confirm<Response>({ title, action, change, isHarmful, onClose, onDone, children }: Props<Response>) {
  const { isBusy, failure, submit } = useSubmission<Response>();
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (change) void submit(change, onDone);
        }}
      >
        {children}
        {failure && <Problem error={failure} />}
        <Answers
          action={action}
          isBusy={isBusy}
          isRefused={!change}
          isHarmful={isHarmful ?? false}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
