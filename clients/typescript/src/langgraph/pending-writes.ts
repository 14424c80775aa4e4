import {
  WRITES_IDX_MAP,
  type CheckpointPendingWrite,
  type PendingWrite,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import type { Entry } from "#protos/memoryd/v1/entry_pb";
import { RevisionMismatch } from "../errors.js";
import { documentIn, textsOf, typed, untyped, type Typed } from "./document.js";
import { removeOperation, setOperation, type Entries } from "./entries.js";
import { writesPrefix } from "./thread.js";

const RACES_MAX = 1_000;

interface Write {
  readonly channel: string;
  readonly value: Typed;
  readonly path: string;
}

/** The writes of a task by their number, which is negative for special channels. */
type Writes = Readonly<Record<string, Write>>;

interface WritesDocument {
  readonly task: string;
  readonly writes: Writes;
}

/**
 * Stores the writes of a task. Existing writes stay, except those of special channels, which are replaced. Concurrent
 * writes of the same task are merged: none is lost.
 */
export async function putWrites(
  entries: Entries,
  key: string,
  serde: SerializerProtocol,
  writes: readonly PendingWrite[],
  taskId: string,
  path: string,
): Promise<void> {
  const numbered = writes.map(async ([channel, value], index): Promise<[string, Write]> => {
    const write = { channel, value: await typed(serde, value), path };
    return [String(WRITES_IDX_MAP[channel] ?? index), write];
  });
  const added = await Promise.all(numbered);
  let known: Writes = {};
  let stored = new Map<string, Entry>();
  for (let race = 1; ; race++) {
    const changed = added.filter(([number]) => Number(number) < 0 || !Object.hasOwn(known, number));
    if (changed.length === 0) {
      return;
    }
    const merged = { ...known, ...Object.fromEntries(changed) };
    try {
      await replace(entries, key, { task: taskId, writes: merged }, stored);
      return;
    } catch (error) {
      if (!(error instanceof RevisionMismatch) || race === RACES_MAX) {
        throw error;
      }
    }
    stored = await storedAt(entries, key);
    known = (documentIn(key, stored) as WritesDocument | undefined)?.writes ?? {};
  }
}

/** Returns the writes among all entries of a checkpoint, in the order in which they are applied. */
export async function pendingWrites(
  serde: SerializerProtocol,
  checkpoint: string,
  entries: ReadonlyMap<string, Entry>,
): Promise<CheckpointPendingWrite[]> {
  const start = writesPrefix(checkpoint);
  // Those of pieces have another slash.
  const keys = [...entries.keys()].filter((key) => key.startsWith(start) && !key.includes("/", start.length));
  const found = keys.flatMap((key) => {
    const document = documentIn(key, entries) as WritesDocument | undefined;
    const { task = "", writes = {} } = document ?? {};
    return Object.entries(writes).map(([number, write]) => ({ task, number: Number(number), ...write }));
  });
  found.sort(
    (one, other) =>
      byCodePoints(one.path, other.path) || byCodePoints(one.task, other.task) || one.number - other.number,
  );
  return Promise.all(
    found.map(async ({ task, channel, value }): Promise<CheckpointPendingWrite> => {
      return [task, channel, await untyped(serde, value)];
    }),
  );
}

/** Stores a document, unless its entry has changed since it was read. */
async function replace(
  entries: Entries,
  key: string,
  document: WritesDocument,
  stored: ReadonlyMap<string, Entry>,
): Promise<void> {
  const texts = new Map(textsOf(key, document));
  const expectedRevision = stored.get(key)?.revision ?? 0;
  await entries.write([
    ...[...texts].map(([each, text]) => setOperation(each, text, each === key ? { expectedRevision } : {})),
    ...[...stored.keys()].filter((each) => !texts.has(each)).map(removeOperation),
  ]);
}

/** Returns the entries of a document at one revision. */
async function storedAt(entries: Entries, key: string): Promise<Map<string, Entry>> {
  return entries.list({ keyPrefix: key }, async (listed) => {
    const found = new Map<string, Entry>();
    for await (const entry of listed) {
      if (entry.key === key || entry.key.startsWith(`${key}/`)) {
        found.set(entry.key, entry);
      }
    }
    return found;
  });
}

/** Compares texts as Python does, whose order of writes LangGraph has in both languages. */
function byCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
