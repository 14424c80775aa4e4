import { useChanging } from "../../../view/changing";
import { Notice } from "../../../view/notice";
import { EndAgent } from "./end-agent";
import { ForgetUser } from "./forget-user";
import { Snapshots } from "./snapshots";

/** What can be done to an agent as a whole, while changes are allowed. */
export function Manage({ agentId }: { agentId: string }) {
  const { may } = useChanging();
  const [mayRestore, mayDelete] = [may("METHOD_VERB_SNAPSHOT"), may("METHOD_VERB_DELETE")];
  if (!mayRestore && !mayDelete) return <Notice>Nothing can be changed from here unless “Allow changes” is on.</Notice>;
  return (
    <div class="columns manage">
      {mayRestore && <Snapshots agentId={agentId} />}
      {mayDelete && <ForgetUser agentId={agentId} />}
      {mayDelete && <EndAgent agentId={agentId} />}
    </div>
  );
}
