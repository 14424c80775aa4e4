import type {
  ListNamespacesOperation,
  MatchCondition,
  SearchItem,
  SearchOperation,
} from "@langchain/langgraph-checkpoint";
import type { Entries } from "./entries.js";
import { passes } from "./filter.js";
import { namespaceOf, namespacePrefix, searchItemOf, storedItem } from "./item.js";
import { score, type VectorIndex } from "./vectors.js";

const LIMIT = 10;
const WILDCARD = "*";

/**
 * Returns the items below a namespace that pass the filter: in the order of namespace and key; for a query, the nearest
 * first, and those without a vector last.
 */
export async function search(
  entries: Entries,
  { namespacePrefix: namespace, filter, limit = LIMIT, offset = 0, query }: SearchOperation,
  index: VectorIndex | undefined,
): Promise<SearchItem[]> {
  if (Math.min(limit, offset) < 0) {
    throw new RangeError("limit and offset must not be negative");
  }
  const end = offset + limit;
  const vector = query && index ? await index.ofQuery(query) : undefined;
  const isPartial = filter !== undefined || vector !== undefined;
  const listing = { keyPrefix: namespacePrefix(namespace), ...(!isPartial && { pageSize: Math.max(end, 1) }) };
  const found = await entries.list(listing, async (listed) => {
    const kept: SearchItem[] = [];
    for await (const entry of listed) {
      if (vector === undefined && kept.length >= end) {
        break;
      }
      const stored = storedItem(entry);
      if (passes(stored.value, filter ?? {})) {
        kept.push(searchItemOf(entry, stored, vector && score(vector, Object.values(stored.vectors ?? {}))));
      }
    }
    return kept;
  });
  if (vector !== undefined) {
    found.sort((one, other) => (other.score ?? -Infinity) - (one.score ?? -Infinity) || 0);
  }
  return found.slice(offset, end);
}

/** Returns the namespaces that have items and match all conditions, truncated to the depth, in their order. */
export async function listNamespaces(
  entries: Entries,
  { matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation,
): Promise<string[][]> {
  const listing = { keyPrefix: namespacePrefix(knownStart(matchConditions)), content: false };
  const found = await entries.list(listing, async (listed) => {
    const namespaces = new Map<string, string[]>();
    for await (const { key } of listed) {
      const namespace = namespaceOf(key);
      if (matchConditions.every((condition) => matches(namespace, condition))) {
        const shown = namespace.slice(0, maxDepth);
        namespaces.set(namespacePrefix(shown), shown);
      }
    }
    return namespaces;
  });
  return [...found.values()].sort(inOrder).slice(offset, offset + limit);
}

/** Returns the labels that every matching namespace begins with. */
function knownStart(conditions: readonly MatchCondition[]): string[] {
  const starts = conditions
    .filter(({ matchType }) => matchType === "prefix")
    .map(({ path }) => (path.includes(WILDCARD) ? path.slice(0, path.indexOf(WILDCARD)) : path));
  return starts.reduce((longest, each) => (each.length > longest.length ? each : longest), []);
}

function matches(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (namespace.length < path.length) {
    return false;
  }
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((expected, index) => expected === WILDCARD || expected === namespace[start + index]);
}

function inOrder(one: readonly string[], other: readonly string[]): number {
  const index = one.findIndex((label, place) => label !== other[place]);
  const [first, second] = [one[index], other[index]];
  if (first === undefined || second === undefined) {
    return one.length - other.length;
  }
  return first < second ? -1 : 1;
}
