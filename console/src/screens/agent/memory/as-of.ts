import type { GetMemoryResponseJson, ListMemoriesResponseJson } from "#protos/long_term_memory_service_pb";
import type { MemoryJson } from "#protos/memory_pb";

import { call, CallError } from "../../../daemon/call";
import type { Page } from "../../../daemon/listing";
import { STATUSES } from "./by-id";

const PAGE_SIZE = 100;
/** Number of memories that are read at a time as they were. */
const READS_MAX = 8;
/** What the tokens of pages of forgotten memories begin with. */
const FORGOTTEN = "forgotten ";

/**
 * Return a page of the memories that were active at an earlier time, as they were then: those that still exist, the
 * forgotten ones last. Fails if the version of then of any of them is no longer kept.
 */
export async function readMemoriesThen(
  agentId: string,
  readTime: string,
  pageToken: string,
  signal: AbortSignal,
): Promise<Page<MemoryJson>> {
  const forgottenOnly = pageToken.startsWith(FORGOTTEN);
  const request = {
    agentId,
    pageSize: PAGE_SIZE,
    pageToken: pageToken.replace(FORGOTTEN, ""),
    forgottenOnly,
    filter: { allUsers: true, createEndTime: readTime, memory: { statuses: STATUSES } },
  };
  const page = await call<ListMemoriesResponseJson>("LongTermMemoryService/ListMemories", request, signal);
  const items: MemoryJson[] = [];
  const memories = page.memories ?? [];
  for (let start = 0; start < memories.length; start += READS_MAX) {
    const some = memories.slice(start, start + READS_MAX);
    const then = await Promise.all(some.map((memory) => asOf(agentId, memory, readTime, signal)));
    items.push(...then.filter((memory) => memory !== undefined).filter(isActive));
  }
  const next = page.nextPageToken ?? "";
  const isLast = !next && forgottenOnly;
  return { items, next: isLast ? "" : `${forgottenOnly || !next ? FORGOTTEN : ""}${next}` };
}

function isActive({ status }: MemoryJson): boolean {
  return status === "MEMORY_STATUS_ACTIVE";
}

/** Return a memory as it was at a time, undefined if it was forgotten then. */
async function asOf(
  agentId: string,
  memory: MemoryJson,
  readTime: string,
  signal: AbortSignal,
): Promise<MemoryJson | undefined> {
  // What has not changed since is as it is now.
  if (Date.parse(memory.updateTime ?? "") < Date.parse(readTime)) return memory.forgetTime ? undefined : memory;
  const request = { agentId, memoryId: memory.memoryId, readTime };
  try {
    return (await call<GetMemoryResponseJson>("LongTermMemoryService/GetMemory", request, signal)).memory;
  } catch (error) {
    if (error instanceof CallError && error.code === "not_found") return undefined;
    throw error;
  }
}
