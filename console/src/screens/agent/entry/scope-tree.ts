import type { ScopeJson } from "#protos/scope_pb";
import type { ListScopesResponseJson } from "#protos/working_memory_service_pb";

import { call } from "../../../daemon/call";
import type { Page } from "../../../daemon/listing";

const PAGE_SIZE = 1_000;

/** Return a page of all scopes of an agent: a parent comes before its children. */
export async function readScopes(agentId: string, pageToken: string, signal: AbortSignal): Promise<Page<ScopeJson>> {
  const request = { agentId, pageSize: PAGE_SIZE, pageToken, filter: { allUsers: true } };
  const response = await call<ListScopesResponseJson>("WorkingMemoryService/ListScopes", request, signal);
  return { items: response.scopes ?? [], next: response.nextPageToken ?? "", total: Number(response.totalCount ?? 0) };
}

export interface Branch {
  scope: ScopeJson;
  depth: number;
}

/** Return the root and all scopes below it, each after its parent and the children of that before it. */
export function inTree(scopes: readonly ScopeJson[]): readonly Branch[] {
  const children = Map.groupBy(scopes, (scope) => scope.parentScopeId ?? "");
  const branches: Branch[] = [];
  const waiting: Branch[] = [{ scope: {}, depth: 0 }];
  for (let branch = waiting.pop(); branch; branch = waiting.pop()) {
    branches.push(branch);
    const depth = branch.depth + 1;
    const below = children.get(branch.scope.scopeId ?? "") ?? [];
    waiting.push(...below.map((scope) => ({ scope, depth })).reverse());
  }
  return branches;
}
