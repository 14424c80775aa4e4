import type { ListMemoryLinksResponseJson } from "#protos/long_term_memory_service_pb";
import type { MemoryJson, MemoryLinkJson, MemoryLinkTypeJson } from "#protos/memory_pb";

import { call } from "../../../daemon/call";
import { memoriesOf } from "./by-id";

/** Number of memories around one, and of all in a graph. */
const NEAR_MAX = 8;
const NODES_MAX = 24;
const LINKS_MAX = 200;
const FAR_LINKS_MAX = 20;
/** What speaks against a memory is seen first. */
const ORDER: readonly MemoryLinkTypeJson[] = ["MEMORY_LINK_TYPE_CONTRADICTS", "MEMORY_LINK_TYPE_SUPERSEDES"];

export interface LinkedMemory {
  id: string;
  /** Undefined if it is forgotten. */
  memory: MemoryJson | undefined;
  /** The memory by whose link it is here; empty for the one in the middle. */
  by: string;
}

export interface LinkGraph {
  /** The memory in the middle first, then those that are linked with it, then those that are linked with these. */
  nodes: readonly LinkedMemory[];
  links: readonly MemoryLinkJson[];
  /** Number of the links of the memory in the middle that are not in the graph. */
  leftOut: number;
}

/** Return the memories around one that links lead to, two links far, as many as can be shown. */
export async function readLinks(agentId: string, memoryId: string, signal: AbortSignal): Promise<LinkGraph> {
  const nearest = await linksOf(agentId, memoryId, LINKS_MAX, signal);
  const by = new Map([[memoryId, ""]]);
  const near = [...new Set(nearest.links.map((link) => otherEnd(link, memoryId)))].slice(0, NEAR_MAX);
  for (const id of near) by.set(id, memoryId);
  const further = await Promise.all(near.map((id) => linksOf(agentId, id, FAR_LINKS_MAX, signal)));
  for (const [index, { links }] of further.entries()) {
    for (const link of links) {
      const id = otherEnd(link, near[index] ?? "");
      if (by.size < NODES_MAX && !by.has(id)) by.set(id, near[index] ?? "");
    }
  }
  const all = [nearest, ...further].flatMap(({ links }) => links);
  const shown = new Map(all.filter((link) => isWithin(link, by)).map((link) => [keyOf(link), link]));
  const memories = await memoriesOf(agentId, [...by.keys()], signal);
  const own = [...shown.values()].filter((link) => isEnd(link, memoryId)).length;
  return {
    nodes: [...by].map(([id, from]) => ({ id, memory: memories.get(id), by: from })),
    links: [...shown.values()],
    leftOut: nearest.total - own,
  };
}

/** Return the memory at the end of a link that is not this one. */
export function otherEnd(link: MemoryLinkJson, memoryId: string): string {
  return (link.fromMemoryId === memoryId ? link.toMemoryId : link.fromMemoryId) ?? "";
}

function isEnd(link: MemoryLinkJson, memoryId: string): boolean {
  return link.fromMemoryId === memoryId || link.toMemoryId === memoryId;
}

function isWithin(link: MemoryLinkJson, ids: ReadonlyMap<string, string>): boolean {
  return ids.has(link.fromMemoryId ?? "") && ids.has(link.toMemoryId ?? "");
}

function keyOf({ fromMemoryId, toMemoryId, type }: MemoryLinkJson): string {
  return JSON.stringify([fromMemoryId, toMemoryId, type]);
}

async function linksOf(agentId: string, memoryId: string, pageSize: number, signal: AbortSignal) {
  const request = { agentId, memoryId, pageSize };
  const page = await call<ListMemoryLinksResponseJson>("LongTermMemoryService/ListMemoryLinks", request, signal);
  const links = (page.memoryLinks ?? []).toSorted(
    (one, other) => rankOf(one) - rankOf(other) || Number(other.strength ?? 0) - Number(one.strength ?? 0),
  );
  return { links, total: Number(page.totalCount ?? 0) };
}

function rankOf({ type }: MemoryLinkJson): number {
  const rank = ORDER.indexOf(type ?? "MEMORY_LINK_TYPE_UNSPECIFIED");
  return rank < 0 ? ORDER.length : rank;
}
