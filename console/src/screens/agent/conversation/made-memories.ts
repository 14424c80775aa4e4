import type { ListMemoriesResponseJson } from "#protos/long_term_memory_service_pb";
import type { MemoryJson } from "#protos/memory_pb";

import { call } from "../../../daemon/call";
import { STATUSES } from "../memory/by-id";

const PAGE_SIZE = 1_000;
const MEMORIES_MAX = 5_000;

export interface MadeMemories {
  /** The memories that were made of a message, by its number. */
  byNumber: ReadonlyMap<number, readonly MemoryJson[]>;
  /** Whether there are more than were read. */
  isCut: boolean;
}

/** Return the memories that were made of the messages of a conversation. */
export async function memoriesByMessage(
  agentId: string,
  conversationId: string,
  signal: AbortSignal,
): Promise<MadeMemories> {
  const memories: MemoryJson[] = [];
  const filter = { conversationIds: [conversationId], allUsers: true, memory: { statuses: STATUSES } };
  let pageToken = "";
  do {
    const request = { agentId, pageSize: PAGE_SIZE, pageToken, filter };
    const page = await call<ListMemoriesResponseJson>("LongTermMemoryService/ListMemories", request, signal);
    memories.push(...(page.memories ?? []));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken && memories.length < MEMORIES_MAX);
  const byNumber = Map.groupBy(memories, ({ provenance }) => Number(provenance?.messageNumber ?? 0));
  byNumber.delete(0);
  return { byNumber, isCut: pageToken !== "" };
}
