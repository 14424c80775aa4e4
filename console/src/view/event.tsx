import type { EventJson } from "#protos/event_pb";

import { Line } from "./inert";
import { Fields, Value } from "./fields";
import { Age } from "./time";
import { titleOf, wordOf } from "./word";

/** The fields of an event that are about any event. */
type Common =
  | "revision"
  | "index"
  | "type"
  | "kind"
  | "cause"
  | "agentId"
  | "eventTime"
  | "origin"
  | "principal"
  | "requestId"
  | "changedFields"
  | "previousRevision";

/** The fields of which an event has the one that says what it is about. */
export type SubjectField = Exclude<keyof EventJson, Common>;

// A record, so that the compiler finds the subject that is missing here.
const SUBJECTS: Readonly<Record<SubjectField, true>> = {
  agent: true,
  entry: true,
  scope: true,
  fragment: true,
  memory: true,
  memoryLink: true,
  memoryProposal: true,
  note: true,
  plan: true,
  planStep: true,
  entityWindow: true,
  document: true,
  conversation: true,
  message: true,
  cleared: true,
  flushed: true,
  planNote: true,
};

/** What an event is about, by the names of its fields. */
export type Subject = Readonly<Record<string, unknown>>;

/** An event on two lines. */
export function EventRow({
  event,
  showsAgent,
  isChosen,
  onChoose,
}: {
  event: EventJson;
  showsAgent: boolean;
  isChosen: boolean;
  onChoose: (event: EventJson) => void;
}) {
  return (
    <button
      type="button"
      class="row"
      aria-pressed={isChosen}
      onClick={() => {
        onChoose(event);
      }}
    >
      <span class="title">
        <span class={`verb ${verbOf(event)}`}>{wordOf(event.type, "EVENT_TYPE_")}</span>
        <Line text={nameOf(event)} />
      </span>
      <span class="side dim">
        <Age time={event.eventTime} />
      </span>
      <span class="sub dim">
        {showsAgent && (
          <>
            <Line text={event.agentId ?? ""} />
            <span aria-hidden="true">·</span>
          </>
        )}
        <span>revision {event.revision ?? "0"}</span>
        <span aria-hidden="true">·</span>
        <Line text={authorOf(event)} />
      </span>
    </button>
  );
}

/** What an event changed, by whom, and the record before and after. */
export function EventDetail({ event }: { event: EventJson }) {
  const own = Object.entries(event).filter(([name]) => !(name in SUBJECTS));
  const subject = subjectOf(event);
  const record = recordOf(event);
  const previous = subject.previous as Subject | undefined;
  const changed = (event.changedFields ?? "").split(",").filter((path) => path && previous?.[path] !== undefined);
  return (
    <>
      <Fields record={{ changed: authorOf(event), ...Object.fromEntries(own) }} />
      {changed.length > 0 && (
        <>
          <h3>Before</h3>
          {changed.map((path) => (
            <div class="before" key={path}>
              <p class="dim">{titleOf(path)}</p>
              <Value json={textOf(previous?.[path])} />
            </div>
          ))}
        </>
      )}
      {record && (
        <>
          <h3>After</h3>
          <Fields record={record} />
        </>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function recordFieldOf(event: EventJson): SubjectField | undefined {
  return (Object.keys(event) as (keyof EventJson)[]).find((name) => name in SUBJECTS) as SubjectField | undefined;
}

/** Return what an event is about. */
export function subjectOf(event: EventJson): Subject {
  const name = recordFieldOf(event);
  return (name ? event[name] : {}) as Subject;
}

/** Return the record after the change; undefined if it was removed. */
export function recordOf(event: EventJson): object | undefined {
  return subjectOf(event)[recordFieldOf(event) ?? ""] as object | undefined;
}

/** Return the name of the record that changed. */
function nameOf(event: EventJson): string {
  const subject = subjectOf(event);
  const record = (recordOf(event) ?? {}) as Subject;
  const name = subject.key ?? subject.name ?? record.title ?? record.goal ?? record.content;
  if (typeof name === "string") return name;
  const id = Object.entries(subject).find(([field]) => field.endsWith("Id"));
  return typeof id?.[1] === "string" ? id[1] : "";
}

/** Return who made a change, in words. */
export function authorOf({ principal, origin }: EventJson): string {
  if (!principal) return "by the daemon itself";
  return origin ? `by ${principal} as ${origin}` : `by ${principal}`;
}

function verbOf(event: EventJson): string {
  const type: string = event.type ?? "";
  if (/CREATED|ADDED|APPENDED|LINKED$/.test(type) && !type.includes("UNLINKED")) return "new";
  return /DELETED|REMOVED|CLEARED|PURGED|FORGOTTEN|DISPOSED|ENDED|UNLINKED/.test(type) ? "gone" : "changed";
}
