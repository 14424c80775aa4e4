/** The kinds of records that are shown as a list of their own. */

import type { Method } from "../../daemon/call";

/** A record as JSON. */
export type AnyRecord = Readonly<Record<string, unknown>>;

export interface Kind {
  /** The part of the page's address. */
  path: string;
  title: string;
  /** The word of `RecordKind`. */
  noun: string;
  method: Method;
  /** The field of the response that has the records. */
  field: string;
  /** The fields of which the first that is set is a record's heading; then those of its second line. */
  headings: readonly string[];
  lines: readonly string[];
}

export const KINDS: readonly Kind[] = [
  {
    path: "memories",
    title: "Memories",
    noun: "memory",
    method: "LongTermMemoryService/ListMemories",
    field: "memories",
    headings: ["content"],
    lines: ["type", "status"],
  },
  {
    path: "proposals",
    title: "Proposals",
    noun: "memory proposal",
    method: "LongTermMemoryService/ListMemoryProposals",
    field: "memoryProposals",
    headings: ["content"],
    lines: ["type"],
  },
  {
    path: "notes",
    title: "Notes",
    noun: "note",
    method: "NoteService/ListNotes",
    field: "notes",
    headings: ["title", "content", "noteId"],
    lines: ["content", "notebook"],
  },
  {
    path: "fragments",
    title: "Fragments",
    noun: "fragment",
    method: "FragmentService/ListFragments",
    field: "fragments",
    headings: ["content"],
    lines: ["type", "dynamicType"],
  },
  {
    path: "documents",
    title: "Documents",
    noun: "document",
    method: "DocumentService/ListDocuments",
    field: "documents",
    headings: ["title", "source", "documentId"],
    lines: ["description", "source", "mediaType"],
  },
  {
    path: "entities",
    title: "Entities",
    noun: "entity window",
    method: "EntityService/ListEntityWindows",
    field: "entityWindows",
    headings: ["conversationId"],
    lines: ["entities"],
  },
  {
    path: "plans",
    title: "Plans",
    noun: "plan",
    method: "PlanService/ListPlans",
    field: "plans",
    headings: ["goal", "title", "planId"],
    lines: ["status"],
  },
  {
    path: "conversations",
    title: "Conversations",
    noun: "conversation",
    method: "ConversationService/ListConversations",
    field: "conversations",
    headings: ["title", "conversationId"],
    lines: ["conversationId"],
  },
];
