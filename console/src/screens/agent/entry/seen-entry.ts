import type { EntryJson } from "#protos/entry_pb";
import type { ScopeJson } from "#protos/scope_pb";
import type { BatchGetEntriesResponseJson, ListEntriesResponseJson } from "#protos/working_memory_service_pb";

import { call } from "../../../daemon/call";
import type { Page } from "../../../daemon/listing";

const PAGE_SIZE = 500;

/** An entry that a lookup finds. */
export interface SeenEntry {
  entry: EntryJson;
  /** The next entry of its key in the scopes above it, which it hides. */
  hidden: EntryJson | undefined;
}

/** Return a page of the entries that a lookup in a scope finds. */
export async function readEntries(
  agentId: string,
  scopeId: string,
  scopes: ReadonlyMap<string, ScopeJson>,
  pageToken: string,
  signal: AbortSignal,
): Promise<Page<SeenEntry>> {
  const filter = { allUsers: true };
  const request = { agentId, scopeId, includeInherited: true, pageSize: PAGE_SIZE, pageToken, filter };
  const response = await call<ListEntriesResponseJson>("WorkingMemoryService/ListEntries", request, signal);
  const entries = response.entries ?? [];
  const hidden = await hiddenBy(agentId, entries, scopes, signal);
  return {
    items: entries.map((entry) => ({ entry, hidden: hidden.get(entry) })),
    next: response.nextPageToken ?? "",
    total: Number(response.totalCount ?? 0),
  };
}

/** Return the entries that a lookup would find if those of the page were not there. */
async function hiddenBy(
  agentId: string,
  entries: readonly EntryJson[],
  scopes: ReadonlyMap<string, ScopeJson>,
  signal: AbortSignal,
): Promise<ReadonlyMap<EntryJson, EntryJson>> {
  const found = new Map<EntryJson, EntryJson>();
  const byScope = Map.groupBy(entries, (entry) => entry.scopeId ?? "");
  for (const [scopeId, own] of byScope) {
    const scope = scopes.get(scopeId);
    if (!scope) continue; // The root, which has nothing above it.
    const byKey = new Map(own.map((entry) => [entry.key, entry]));
    const request = { agentId, scopeId: scope.parentScopeId ?? "", keys: [...byKey.keys()] };
    const above = await call<BatchGetEntriesResponseJson>("WorkingMemoryService/BatchGetEntries", request, signal);
    for (const entry of above.entries ?? []) {
      const hiding = byKey.get(entry.key);
      if (hiding) found.set(hiding, entry);
    }
  }
  return found;
}

/** Return the name of an entry's scope. */
export function nameOf(scopes: ReadonlyMap<string, ScopeJson>, entry: EntryJson): string {
  return entry.scopeId ? (scopes.get(entry.scopeId)?.name ?? entry.scopeId) : "root";
}
