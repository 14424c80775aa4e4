import type { EventJson } from "#protos/event_pb";

import { recordOf, subjectOf, type Subject, type SubjectField } from "../../../view/event";

/** The kinds of the records that end with a record of another kind. */
const OWNED: Readonly<Record<string, string>> = {
  RECORD_KIND_SCOPE: "RECORD_KIND_ENTRY",
  RECORD_KIND_PLAN: "RECORD_KIND_PLAN_STEP",
  RECORD_KIND_CONVERSATION: "RECORD_KIND_MESSAGE",
  RECORD_KIND_MEMORY: "RECORD_KIND_MEMORY_LINK",
};
/** The fields that name the records which such a record ends with. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  RECORD_KIND_ENTRY: ["scopeId"],
  RECORD_KIND_PLAN_STEP: ["planId"],
  RECORD_KIND_MESSAGE: ["conversationId"],
  RECORD_KIND_MEMORY_LINK: ["fromMemoryId", "toMemoryId"],
};
type FieldOf<Message> = Message extends unknown ? keyof Message : never;
/** Ids of something else than the record: its place, or what it was made from. */
type OtherId = "snapshotId" | "beforeStepId" | "parentScopeId";
/** The fields that name what events are about by its id. */
type IdField = Exclude<Extract<FieldOf<NonNullable<EventJson[SubjectField]>>, `${string}Id`>, OtherId>;

// A record, so that the compiler finds the id that is missing here.
const NAME_FIELDS: Readonly<Record<IdField | "key" | "type" | "number", true>> = {
  scopeId: true,
  key: true,
  fragmentId: true,
  memoryId: true,
  memoryProposalId: true,
  fromMemoryId: true,
  toMemoryId: true,
  type: true,
  noteId: true,
  planId: true,
  stepId: true,
  documentId: true,
  conversationId: true,
  number: true,
};
/** The fields that name a record among those of its kind. */
const NAMES = Object.keys(NAME_FIELDS);

/** The records that an agent had, found by looking at its events from the newest to the oldest. */
export class Rewound {
  /** Whether the agent had ended: no older event is of a record that was there. */
  isOver = false;
  private readonly seen = new Set<string>();
  /** The kinds, and the records with others of their own, that had ended. */
  private readonly ended = new Set<string>();

  /** Return whether an event, which is older than all before it, wrote a record that was there. */
  isState(event: EventJson): boolean {
    const { kind = "RECORD_KIND_UNSPECIFIED", type } = event;
    if (type === "EVENT_TYPE_AGENT_ENDED") this.isOver = true;
    // A note of a plan is in none of the plan's other events, and a flush changes what no event has.
    if (this.isOver || event.planNote || event.flushed) return false;
    if (event.cleared) {
      this.clear(kind, event.cleared.scopeId ?? "");
      return false;
    }
    const subject = subjectOf(event);
    const names = NAMES.map((name) => subject[name] ?? "");
    // An update of a plan has only what changed: the rest is in the event of its creation.
    const place = JSON.stringify([kind, type === "EVENT_TYPE_PLAN_CREATED", ...names]);
    const owners = (OWNERS[kind] ?? []).map((name) => markOf(kind, subject, name));
    const isGone = this.ended.has(kind) || owners.some((owner) => this.ended.has(owner)) || this.hasEnded(kind, names);
    if (isGone || this.seen.has(place)) return false;
    this.seen.add(place);
    if (recordOf(event)) return true;
    this.end(kind, subject, names);
    return false;
  }

  private hasEnded(kind: string, names: readonly unknown[]): boolean {
    return this.ended.has(JSON.stringify([kind, ...names]));
  }

  private end(kind: string, subject: Subject, names: readonly unknown[]): void {
    // What is about the agent as a whole ends nothing but the agent, which another type says.
    if (kind === "RECORD_KIND_AGENT") return;
    this.ended.add(JSON.stringify([kind, ...names]));
    const owned = OWNED[kind];
    const id = owned && Object.entries(subject).find(([name]) => NAMES.includes(name))?.[1];
    if (owned && typeof id === "string") this.ended.add(`${owned} ${id}`);
  }

  private clear(kind: string, scopeId: string): void {
    // Entries are cleared by scope, all others as a kind.
    this.ended.add(kind === "RECORD_KIND_ENTRY" ? `${kind} ${scopeId}` : kind);
    const owned = OWNED[kind];
    if (owned) this.ended.add(owned);
  }
}

function markOf(kind: string, subject: Subject, name: string): string {
  const id = subject[name];
  return `${kind} ${typeof id === "string" ? id : ""}`;
}
