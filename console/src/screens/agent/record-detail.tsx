import { to } from "../../route";
import { Fields } from "../../view/fields";
import { idOf, timelineOf } from "./past/changes-of";
import type { AnyRecord, Kind } from "./kinds";
import { MemoryDetail } from "./memory/detail";
import { PlanDetail } from "./plan-detail";

/** A record that was chosen in a list: its fields, and what belongs to records of its kind. */
export function RecordDetail({ agentId, kind, record }: { agentId: string; kind: Kind; record: AnyRecord }) {
  const id = idOf(kind.noun, record);
  if (kind.noun === "memory") return <MemoryDetail key={id} agentId={agentId} memory={record} />;
  if (kind.noun === "plan") return <PlanDetail key={id} agentId={agentId} planId={id} />;
  return (
    <>
      {kind.noun === "conversation" && (
        <p>
          <a href={to("agents", agentId, "conversations", id)}>Open its messages</a>
        </p>
      )}
      <Fields record={record} />
      <p>
        <a href={timelineOf(agentId, kind.noun, id)}>Who wrote this?</a>
      </p>
    </>
  );
}
