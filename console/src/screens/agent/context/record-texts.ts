/** The texts of records, by references to them. */

import type { GetConversationResponseJson, ListMessagesResponseJson } from "#protos/conversation_service_pb";
import type { ListDocumentChunksResponseJson, ListDocumentsResponseJson } from "#protos/document_service_pb";
import type { ListEntityWindowsResponseJson } from "#protos/entity_service_pb";
import type { ListNotesResponseJson } from "#protos/note_service_pb";
import type { ListPlansResponseJson } from "#protos/plan_service_pb";
import type { RecordRefJson } from "#protos/record_pb";
import type { ListEntriesResponseJson } from "#protos/working_memory_service_pb";

import { call } from "../../../daemon/call";
import { memoriesOf } from "../memory/by-id";
import { textOf } from "../conversation/message-row";

const PAGE_SIZE = 1_000;
/** Number of records that are read in vain rather than by another call. */
const GAP_MAX = 20;

type Texts = Iterable<readonly [RecordRefJson, string]>;
/** Returns the texts of references of one kind to records of one agent, at most 256. */
type Reader = (agentId: string, refs: readonly RecordRefJson[], signal: AbortSignal) => Promise<Texts>;

/** Return a name of the record that a reference is about, which no other record has. */
export function placeOf(ref: RecordRefJson): string {
  return JSON.stringify(ref);
}

/** Return the texts of records, at most 256, by their places. Kinds without a text, and records that are gone, have none. */
export async function readTexts(
  agentId: string,
  refs: readonly RecordRefJson[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const groups = [...Map.groupBy(refs, (ref) => `${ref.kind} ${ref.agentId ?? ""}`).values()];
  const found = await Promise.all(
    groups.map(async (group) => {
      const read = READERS[group[0]?.kind ?? ""];
      try {
        return read ? [...(await read(group[0]?.agentId || agentId, group, signal))] : [];
      } catch {
        // What may not be read, or is gone, keeps its id; the others have their texts.
        return [];
      }
    }),
  );
  return new Map(found.flat().map(([ref, text]) => [placeOf(ref), text]));
}

const READERS: Readonly<Record<string, Reader>> = {
  RECORD_KIND_MEMORY: async (agentId, refs, signal) => {
    const memories = await memoriesOf(agentId, idsOf(refs, "memoryId"), signal);
    return refs.map((ref) => [ref, memories.get(ref.memoryId ?? "")?.content ?? ""]);
  },
  RECORD_KIND_NOTE: async (agentId, refs, signal) => {
    const request = byIds(agentId, idsOf(refs, "noteId"));
    const { notes } = await call<ListNotesResponseJson>("NoteService/ListNotes", request, signal);
    const byId = new Map(notes?.map((note) => [note.noteId, [note.title, note.content].filter(Boolean).join(": ")]));
    return refs.map((ref) => [ref, byId.get(ref.noteId ?? "") ?? ""]);
  },
  RECORD_KIND_PLAN: async (agentId, refs, signal) => {
    const plans = await plansOf(agentId, idsOf(refs, "planId"), signal);
    return refs.map((ref) => [ref, plans.get(ref.planId)?.goal ?? ""]);
  },
  RECORD_KIND_PLAN_STEP: async (agentId, refs, signal) => {
    const plans = await plansOf(agentId, [...new Set(refs.map((ref) => ref.planStep?.planId ?? ""))], signal);
    return refs.map((ref) => {
      const steps = plans.get(ref.planStep?.planId)?.steps;
      return [ref, steps?.find(({ stepId }) => stepId === ref.planStep?.stepId)?.description ?? ""];
    });
  },
  RECORD_KIND_ENTITY: async (agentId, refs, signal) => {
    const request = byIds(agentId, [...new Set(refs.map((ref) => ref.entity?.conversationId ?? ""))]);
    const page = await call<ListEntityWindowsResponseJson>("EntityService/ListEntityWindows", request, signal);
    const names = new Map(
      page.entityWindows?.flatMap(({ conversationId = "", entities }) =>
        (entities ?? []).map(({ entityId = "", name }) => [JSON.stringify([conversationId, entityId]), name ?? ""]),
      ),
    );
    return refs.map((ref) => {
      const { conversationId = "", entityId = "" } = ref.entity ?? {};
      return [ref, names.get(JSON.stringify([conversationId, entityId])) ?? ""];
    });
  },
  RECORD_KIND_ENTRY: (agentId, refs, signal) =>
    ofParents(
      refs,
      ({ entry }) => entry?.scopeId,
      async (scopeId, entries) => {
        const request = {
          ...byIds(
            agentId,
            entries.map(({ entry }) => entry?.key ?? ""),
          ),
          scopeId,
        };
        const page = await call<ListEntriesResponseJson>("WorkingMemoryService/ListEntries", request, signal);
        const values = new Map(page.entries?.map(({ key, valueJson }) => [key ?? "", valueJson ?? ""]));
        return entries.map((ref) => [ref, values.get(ref.entry?.key ?? "") ?? ""]);
      },
    ),
  RECORD_KIND_DOCUMENT: async (agentId, refs, signal) => {
    const request = byIds(agentId, idsOf(refs, "documentId"));
    const { documents } = await call<ListDocumentsResponseJson>("DocumentService/ListDocuments", request, signal);
    const titles = new Map(documents?.map(({ documentId, title }) => [documentId, title ?? ""]));
    return refs.map((ref) => [ref, titles.get(ref.documentId) ?? ""]);
  },
  RECORD_KIND_DOCUMENT_CHUNK: (agentId, refs, signal) =>
    ofParents(
      refs,
      ({ documentChunk }) => documentChunk?.documentId,
      async (documentId, chunks) => {
        const runs = runsOf(chunks.map((ref) => Number(ref.documentChunk?.number ?? 0)));
        const read = async ({ first, last }: Run) => {
          const request = { agentId, documentId, firstNumber: first, pageSize: last - first + 1 };
          const page = await call<ListDocumentChunksResponseJson>(
            "DocumentService/ListDocumentChunks",
            request,
            signal,
          );
          return page.chunks ?? [];
        };
        const found = (await Promise.all(runs.map(read))).flat();
        const texts = new Map(found.map(({ number, text }) => [number, text ?? ""]));
        return chunks.map((ref) => [ref, texts.get(ref.documentChunk?.number) ?? ""]);
      },
    ),
  RECORD_KIND_MESSAGE: (agentId, refs, signal) =>
    ofParents(
      refs,
      ({ message }) => message?.conversationId,
      async (conversationId, messages) => {
        const runs = runsOf(messages.map((ref) => Number(ref.message?.number ?? 0)));
        const read = async ({ first, last }: Run) => {
          const request = { agentId, conversationId, afterNumber: first - 1, pageSize: last - first + 1 };
          const page = await call<ListMessagesResponseJson>("ConversationService/ListMessages", request, signal);
          return page.messages ?? [];
        };
        const found = (await Promise.all(runs.map(read))).flat();
        const texts = new Map(found.map((message) => [message.number, textOf(message)]));
        return messages.map((ref) => [ref, texts.get(ref.message?.number) ?? ""]);
      },
    ),
  RECORD_KIND_SUMMARY: async (agentId, refs, signal) => {
    const read = async (ref: RecordRefJson) => {
      const request = { agentId, conversationId: ref.conversationId };
      const method = "ConversationService/GetConversation";
      const { conversation } = await call<GetConversationResponseJson>(method, request, signal);
      return [ref, conversation?.summary ?? ""] as const;
    };
    return Promise.all(refs.map(read));
  },
};

function idsOf(refs: readonly RecordRefJson[], field: "memoryId" | "noteId" | "planId" | "documentId"): string[] {
  return refs.map((ref) => ref[field] ?? "");
}

function byIds(agentId: string, ids: readonly string[]) {
  return { agentId, pageSize: PAGE_SIZE, filter: { ids, allUsers: true } };
}

async function plansOf(agentId: string, ids: readonly string[], signal: AbortSignal) {
  const { plans } = await call<ListPlansResponseJson>("PlanService/ListPlans", byIds(agentId, ids), signal);
  return new Map(plans?.map((plan) => [plan.planId, plan]));
}

interface Run {
  first: number;
  last: number;
}

/** Return runs of numbers, without the wide gaps between them: each is read by one call. */
function runsOf(numbers: readonly number[]): readonly Run[] {
  const runs: Run[] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const run = runs.at(-1);
    if (run && number - run.last <= GAP_MAX) run.last = number;
    else runs.push({ first: number, last: number });
  }
  return runs;
}

/** Return the texts of records that are read by the one that they are in. */
async function ofParents(
  refs: readonly RecordRefJson[],
  parentOf: (ref: RecordRefJson) => string | undefined,
  read: (parentId: string, refs: readonly RecordRefJson[]) => Promise<Texts>,
): Promise<Texts> {
  const groups = Map.groupBy(refs, (ref) => parentOf(ref) ?? "");
  const found = await Promise.all([...groups].map(async ([id, group]) => [...(await read(id, group))]));
  return found.flat();
}
