/** What can be changed of a record, and by which calls. */

import type { EntryJson } from "#protos/entry_pb";
import type { GetMemoryResponseJson } from "#protos/long_term_memory_service_pb";
import type { MemoryProposalJson } from "#protos/memory_proposal_pb";
import type { GetEntryResponseJson, SetEntryResponseJson } from "#protos/working_memory_service_pb";

import { call, type ChangingMethod, type Method } from "../../../daemon/call";
import type { Change } from "../../../daemon/intention";
import { indented } from "../../../view/fields";
import type { AnyRecord, Kind } from "../kinds";

/** A text of a record that can be edited. */
export interface Editing {
  title: string;
  isJson: boolean;
  textOf: (record: AnyRecord) => string;
  /** Return the change to this text, if the record still has this revision; 0 if it does not exist. */
  change: (text: string, revision: string) => Change;
  /** Return the record after the change. */
  changed: (text: string, response: AnyRecord) => AnyRecord;
}

export interface Removal {
  verb: string;
  /** The verb once that is done. */
  done: string;
  /** What becomes of the record, for people. */
  effect: string;
  /** True if the content can also be erased from the journal at once. */
  canErase: boolean;
  change: (revision: string, erase: boolean) => Change;
  /** The change that undoes it. Absent if there is none. */
  undo?: Change;
}

/** A change that makes a memory of a record that is none: one that was forgotten, or a proposal. */
export interface Admission {
  verb: string;
  /** The verb once that is done. */
  done: string;
  effect: string;
  change: Change;
}

/** A record, with what can be changed of it. */
export interface Target {
  /** Identifies the record as it was seen. */
  key: string;
  noun: string;
  /** The record's name for people. */
  name: string;
  record: AnyRecord;
  /** Return the record as it is now; undefined if it does not exist. */
  read: () => Promise<AnyRecord | undefined>;
  editing?: Editing;
  admission?: Admission;
  removal: Removal;
}

const STAYS = "The journal keeps the content for some time, by default 7 days, and so do snapshots from before.";

/** Return what can be changed of an entry. */
export function entryTarget(agentId: string, entry: EntryJson): Target {
  const { scopeId = "", key = "" } = entry;
  const place = { agentId, scopeId, key };
  return {
    key: `${entry.entryId ?? ""}/${entry.revision ?? ""}`,
    noun: "entry",
    name: key,
    record: { ...entry },
    read: async () => {
      const request = { ...place, localOnly: true };
      const { entry } = await call<GetEntryResponseJson>("WorkingMemoryService/GetEntry", request);
      return entry && { ...entry };
    },
    editing: {
      title: "Value, in JSON",
      isJson: true,
      textOf: (record) => indented((record.valueJson ?? "") as string),
      change: (text, expectedRevision) => ({
        method: "WorkingMemoryService/SetEntry",
        // An empty mask: all but the value stays as it is.
        request: { ...place, valueJson: compact(text), precondition: { expectedRevision }, updateMask: "" },
      }),
      changed: (text, response) => ({ ...(response as SetEntryResponseJson).entry, valueJson: compact(text) }),
    },
    removal: {
      verb: "Delete",
      done: "Deleted",
      effect: `A lookup no longer finds it in this scope. ${STAYS}`,
      canErase: true,
      change: (expectedRevision, erase) => ({
        method: "WorkingMemoryService/RemoveEntry",
        request: { ...place, precondition: { expectedRevision }, erase },
      }),
    },
  };
}

interface Way {
  id: string;
  get: Method;
  remove: ChangingMethod;
  effect: string;
  /** The method that changes the content, if it can be edited. */
  update?: ChangingMethod;
  /** The method that undoes a removal, which erases nothing. */
  restore?: ChangingMethod;
}

const WAYS: Readonly<Record<string, Way>> = {
  memories: {
    id: "memoryId",
    get: "LongTermMemoryService/GetMemory",
    remove: "LongTermMemoryService/ForgetMemory",
    effect: "Recalls and contexts no longer have it. It can be restored until it is purged.",
    update: "LongTermMemoryService/UpdateMemory",
    restore: "LongTermMemoryService/RestoreMemory",
  },
  notes: {
    id: "noteId",
    get: "NoteService/GetNote",
    remove: "NoteService/DeleteNote",
    effect: `Contexts no longer have it. ${STAYS}`,
    update: "NoteService/UpdateNote",
  },
  fragments: {
    id: "fragmentId",
    get: "FragmentService/GetFragment",
    remove: "FragmentService/DeleteFragment",
    effect: `It is neither found nor consolidated any more. ${STAYS}`,
  },
  documents: {
    id: "documentId",
    get: "DocumentService/GetDocument",
    remove: "DocumentService/DeleteDocument",
    effect: `It is deleted with its chunks. ${STAYS}`,
  },
  plans: {
    id: "planId",
    get: "PlanService/GetPlan",
    remove: "PlanService/DeletePlan",
    effect: `It is deleted with its steps and notes. ${STAYS}`,
  },
  conversations: {
    id: "conversationId",
    get: "ConversationService/GetConversation",
    remove: "ConversationService/DeleteConversation",
    effect: `It is deleted with its messages and its summary; its plans and its window of entities stay. ${STAYS}`,
  },
};

/** Return what can be changed of a record; undefined if nothing can, in the console. */
export function recordTarget(agentId: string, kind: Kind, record: AnyRecord): Target | undefined {
  if (kind.path === "proposals") return proposalTarget(agentId, kind.noun, record);
  const way = WAYS[kind.path];
  if (!way) return undefined;
  const id = String(record[way.id]);
  const place = { agentId, [way.id]: id };
  const heading = kind.headings.find((name) => record[name]);
  const common = {
    key: `${id}/${String(record.revision)}`,
    noun: kind.noun,
    name: heading ? String(record[heading]) : id,
    record,
  };
  if (record.forgetTime !== undefined) return { ...common, ...forgotten(place) };
  const { update, restore } = way;
  return {
    ...common,
    read: async () => (await call<AnyRecord>(way.get, place))[kind.noun] as AnyRecord | undefined,
    ...(update && { editing: contentOf(place, kind.noun, update) }),
    removal: {
      verb: restore ? "Forget" : "Delete",
      done: restore ? "Forgotten" : "Deleted",
      effect: way.effect,
      canErase: !restore,
      change: (expectedRevision, erase) => ({
        method: way.remove,
        request: { ...place, precondition: { expectedRevision }, ...(erase && { erase }) },
      }),
      ...(restore && { undo: { method: restore, request: place } }),
    },
  };
}

/** Return what can be done with a proposal, which never changes. */
function proposalTarget(agentId: string, noun: string, record: AnyRecord): Target {
  const { memoryProposalId, content } = record as MemoryProposalJson;
  const request = { agentId, memoryProposalIds: [memoryProposalId] };
  return {
    key: memoryProposalId ?? "",
    noun,
    name: content ?? "",
    record,
    read: () => Promise.resolve(record),
    admission: {
      verb: "Accept",
      done: "Accepted",
      effect:
        "It becomes a memory, which recalls and contexts have from now on. If there is one like it, that is reinforced.",
      change: { method: "LongTermMemoryService/AcceptMemoryProposals", request },
    },
    removal: {
      verb: "Reject",
      done: "Rejected",
      effect: `It leaves the queue, and its message does not bring it back. ${STAYS}`,
      canErase: true,
      change: (_, erase) => ({
        method: "LongTermMemoryService/RejectMemoryProposals",
        request: { ...request, ...(erase && { erase }) },
      }),
    },
  };
}

/** Return what can be changed of a memory that is forgotten. */
function forgotten(place: object): Pick<Target, "read" | "admission" | "removal"> {
  return {
    read: async () => {
      const request = { ...place, includeForgotten: true };
      return (await call<GetMemoryResponseJson>("LongTermMemoryService/GetMemory", request)).memory;
    },
    admission: {
      verb: "Restore",
      done: "Restored",
      effect: "Recalls and contexts have it again.",
      change: { method: "LongTermMemoryService/RestoreMemory", request: place },
    },
    removal: {
      verb: "Purge",
      done: "Purged",
      effect:
        "It is erased for good, with its versions and links, and from the journal. Snapshots from before keep it.",
      canErase: false,
      change: (expectedRevision) => ({
        method: "LongTermMemoryService/PurgeMemory",
        request: { ...place, precondition: { expectedRevision } },
      }),
    },
  };
}

function contentOf(place: object, noun: string, method: ChangingMethod): Editing {
  return {
    title: "Content",
    isJson: false,
    textOf: (record) => (record.content ?? "") as string,
    change: (content, expectedRevision) => ({
      method,
      request: { ...place, precondition: { expectedRevision }, draft: { content }, updateMask: "content" },
    }),
    changed: (_, response) => response[noun] as AnyRecord,
  };
}

/** Return a JSON text without the white space between its tokens, each of which stays as it was written. */
function compact(json: string): string {
  return json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, "$1");
}
