import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Entry } from "#protos/memoryd/v1/entry_pb";
import { escaped, KEY_BYTES_MAX, unescaped } from "../adapter/name.js";
import { Json } from "../json.js";

const ITEMS = "item/";

/** The JSON object of an item's entry, which Python's store writes, too. */
export interface StoredItem {
  readonly value: Record<string, unknown>;
  /** The time to live, in minutes. Only Python's store writes it. */
  readonly ttl?: number;
  /** When the item was updated, if the entry was written later to restart its time to live. */
  readonly updated_at?: string;
  /** The packed vectors of texts, by their paths. */
  readonly vectors?: Readonly<Record<string, string>>;
}

/** Returns the prefix of the keys of the namespace and of those below it, which no other namespace has. */
export function namespacePrefix(namespace: readonly string[]): string {
  return ITEMS + namespace.map((label) => `${escaped(label)}/`).join("");
}

/**
 * Returns the key of an item's entry.
 *
 * @throws RangeError if it is too long.
 */
export function itemKey(namespace: readonly string[], key: string): string {
  const name = namespacePrefix(namespace) + escaped(key);
  const size = Buffer.byteLength(name);
  if (size > KEY_BYTES_MAX) {
    const both = `namespace ${JSON.stringify(namespace)} and key ${JSON.stringify(key)}`;
    throw new RangeError(`${both} have ${size} bytes together: at most ${KEY_BYTES_MAX} are allowed`);
  }
  return name;
}

/** Returns the namespace of an item's entry. */
export function namespaceOf(entryKey: string): string[] {
  return entryKey.slice(ITEMS.length).split("/").slice(0, -1).map(unescaped);
}

/** Returns what is stored in an item's entry. */
export function storedItem(entry: Entry): StoredItem {
  return Json.parse(entry.valueJson) as StoredItem;
}

/** Returns the item of an entry. */
export function itemOf(entry: Entry, { value, updated_at: updatedAt }: StoredItem): Item {
  return {
    namespace: namespaceOf(entry.key),
    key: unescaped(entry.key.slice(entry.key.lastIndexOf("/") + 1)),
    value,
    createdAt: entry.createTime ? timestampDate(entry.createTime) : new Date(0),
    updatedAt: updatedAt === undefined && entry.updateTime ? timestampDate(entry.updateTime) : new Date(updatedAt ?? 0),
  };
}

/** Returns the item of an entry as a result of a search. */
export function searchItemOf(entry: Entry, stored: StoredItem, score: number | undefined): SearchItem {
  return { ...itemOf(entry, stored), ...(score !== undefined && { score }) };
}

/** Returns the JSON text that stores an item. Throws UnsupportedValue for a value that JSON cannot represent. */
export function itemJson(value: Record<string, unknown>, vectors: ReadonlyMap<string, string>): string {
  return Json.stringify({ value, ...(vectors.size > 0 && { vectors: Object.fromEntries(vectors) }) });
}
