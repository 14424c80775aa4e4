import type { GetMemoryResponseJson } from "#protos/long_term_memory_service_pb";
import type { MemoryJson } from "#protos/memory_pb";

import { call, CallError } from "../../../daemon/call";

const VERSIONS_MAX = 20;

export interface Versions {
  /** The memory as it was, the newest version first. */
  versions: readonly MemoryJson[];
  /** Whether the oldest of them is the memory as it was created. */
  isWhole: boolean;
}

/** Return the earlier versions of a memory, as far back as they are kept, at most 20. Does not count as an access. */
export async function readVersions(agentId: string, memory: MemoryJson, signal: AbortSignal): Promise<Versions> {
  const versions: MemoryJson[] = [];
  let newest = memory;
  while (newest.updateTime !== newest.createTime && versions.length < VERSIONS_MAX) {
    const older = await versionAt(agentId, memory.memoryId ?? "", justBefore(newest.updateTime ?? ""), signal);
    if (!older) return { versions, isWhole: false };
    versions.push(older);
    newest = older;
  }
  return { versions, isWhole: newest.updateTime === newest.createTime };
}

/** Return a memory as it was at a time; undefined if that version is no longer kept. */
async function versionAt(
  agentId: string,
  memoryId: string,
  readTime: string,
  signal: AbortSignal,
): Promise<MemoryJson | undefined> {
  const request = { agentId, memoryId, readTime, includeForgotten: true };
  try {
    return (await call<GetMemoryResponseJson>("LongTermMemoryService/GetMemory", request, signal)).memory;
  } catch (error) {
    if (error instanceof CallError && error.code === "out_of_range") return undefined;
    throw error;
  }
}

/** Return the time that is a nanosecond before another one. */
function justBefore(time: string): string {
  const [second = "", fraction = ""] = time.replace("Z", "").split(".");
  const nanoseconds = Number(fraction.padEnd(9, "0"));
  if (nanoseconds > 0) return `${second}.${String(nanoseconds - 1).padStart(9, "0")}Z`;
  const earlier = new Date(Date.parse(`${second}Z`) - 1_000).toISOString();
  return earlier.replace(/\.\d+Z/, ".999999999Z");
}
