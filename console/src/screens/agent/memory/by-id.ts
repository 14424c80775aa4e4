/** Memories by their ids: reading them so does not count as an access. */

import type { ListMemoriesResponseJson } from "#protos/long_term_memory_service_pb";
import type { MemoryJson, MemoryStatusJson } from "#protos/memory_pb";

import { call } from "../../../daemon/call";

export const STATUSES: readonly MemoryStatusJson[] = [
  "MEMORY_STATUS_ACTIVE",
  "MEMORY_STATUS_ARCHIVED",
  "MEMORY_STATUS_SUPERSEDED",
];

/** Return the memories with some ids, at most 256, of any status, without those that are forgotten or gone. */
export async function memoriesOf(
  agentId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, MemoryJson>> {
  const found = new Map<string, MemoryJson>();
  const filter = { ids, allUsers: true, memory: { statuses: STATUSES } };
  let pageToken = "";
  do {
    const request = { agentId, pageSize: 1_000, pageToken, filter };
    const page = await call<ListMemoriesResponseJson>("LongTermMemoryService/ListMemories", request, signal);
    for (const memory of page.memories ?? []) found.set(memory.memoryId ?? "", memory);
    pageToken = page.nextPageToken ?? "";
  } while (pageToken && ids.length > 0);
  return found;
}
