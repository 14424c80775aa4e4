import { isDeepStrictEqual } from "node:util";
import {
  maxChannelVersion,
  TASKS,
  type CheckpointTuple,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import type { Entry } from "#protos/memoryd/v1/entry_pb";
import { blobKeys, metadataOf, tupleOf, type StoredCheckpoint } from "./checkpoint.js";
import { documentIn, missingPieces, untyped, type Typed } from "./document.js";
import type { Entries } from "./entries.js";
import { pendingWrites } from "./pending-writes.js";
import { ageOf, checkpointKey, checkpointOf, CHECKPOINTS, namespacePrefix, newestFirst } from "./thread.js";

/** A page of this size has most checkpoints with all of their writes. */
const ENTRIES_LISTED = 64;
const CHECKPOINTS_READ_MAX = 16;
/** The first version of checkpoints that have their sends themselves. In older ones they are writes of the parent. */
const WITH_SENDS = 4;

/** The filters of a listing of checkpoints. */
export interface Query {
  /** Undefined for all namespaces. */
  readonly checkpointNs: string | undefined;
  readonly checkpointId: string | undefined;
  /** Only checkpoints whose ids are less pass. */
  readonly before: string | undefined;
  /** The items that their metadata must have. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The checkpoints of one thread. */
export class History {
  readonly #entries: Entries;
  readonly #serde: SerializerProtocol;
  readonly #threadId: string;

  constructor(entries: Entries, serde: SerializerProtocol, threadId: string) {
    this.#entries = entries;
    this.#serde = serde;
    this.#threadId = threadId;
  }

  /** Returns the newest checkpoint whose key has the prefix. */
  async newest(prefix: string): Promise<CheckpointTuple | undefined> {
    for (;;) {
      const entries = await this.#newestEntries(prefix);
      const found = entries && (await this.#complete(entries));
      if (!entries || found) {
        return found;
      }
    }
  }

  /** Yields the checkpoints that pass the filters, the newest of each namespace first. */
  async *list({ checkpointNs, checkpointId, before, metadata }: Query): AsyncGenerator<CheckpointTuple> {
    const prefix = checkpointNs === undefined ? CHECKPOINTS : namespacePrefix(checkpointNs);
    const groups = await this.#keysByCheckpoint(prefix);
    const left = [...groups].filter(([checkpoint]) => {
      const age = ageOf(checkpoint);
      const isNamed = checkpointId === undefined || age === newestFirst(checkpointId);
      return isNamed && (before === undefined || age > newestFirst(before));
    });
    for (let start = 0; start < left.length; start += CHECKPOINTS_READ_MAX) {
      const some = left.slice(start, start + CHECKPOINTS_READ_MAX);
      const entries = await this.#entries.read(some.flatMap(([, keys]) => keys));
      for (const [checkpoint, keys] of some) {
        const own = new Map(keys.flatMap((key) => [...entriesOf(key, entries)]));
        const found = (await this.#hasMetadata(checkpoint, own, metadata)) && (await this.#complete(own));
        if (found) {
          yield found;
        }
      }
    }
  }

  async #keysByCheckpoint(keyPrefix: string): Promise<Map<string, string[]>> {
    return this.#entries.list({ keyPrefix, content: false }, async (listed) => {
      const groups = new Map<string, string[]>();
      for await (const { key } of listed) {
        const checkpoint = checkpointOf(key);
        const keys = groups.get(checkpoint) ?? [];
        groups.set(checkpoint, keys);
        keys.push(key);
      }
      return groups;
    });
  }

  async #hasMetadata(
    checkpoint: string,
    entries: ReadonlyMap<string, Entry>,
    wanted: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    const stored = documentIn(checkpoint, entries) as StoredCheckpoint | undefined;
    if (!stored) {
      return false;
    }
    const metadata = (await metadataOf(this.#serde, stored)) as Readonly<Record<string, unknown>>;
    return Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(metadata[name], value));
  }

  /**
   * Returns the entries of the newest checkpoint, at one revision. A task's writes may be stored before their checkpoint
   * is: such writes are skipped.
   */
  async #newestEntries(keyPrefix: string): Promise<Map<string, Entry> | undefined> {
    return this.#entries.list({ keyPrefix, pageSize: ENTRIES_LISTED }, async (listed) => {
      let entries = new Map<string, Entry>();
      let checkpoint = "";
      for await (const entry of listed) {
        const next = checkpointOf(entry.key);
        if (next !== checkpoint) {
          if (entries.has(checkpoint)) {
            return entries;
          }
          checkpoint = next;
          entries = new Map();
        }
        entries.set(entry.key, entry);
      }
      return entries.has(checkpoint) ? entries : undefined;
    });
  }

  /** Returns the checkpoint of these entries with its blobs; undefined if it was removed meanwhile. */
  async #complete(first: ReadonlyMap<string, Entry>): Promise<CheckpointTuple | undefined> {
    const [key = ""] = first.keys();
    const checkpoint = checkpointOf(key);
    for (let entries = first; ;) {
      const stored = documentIn(checkpoint, entries) as StoredCheckpoint | undefined;
      if (!stored) {
        return undefined;
      }
      const keys = blobKeys(stored);
      const blobs = await this.#documents([...keys.values()]);
      let again: ReadonlyMap<string, Entry> = entries;
      // The blobs are read after the checkpoint: one is missing if the checkpoint was removed or replaced in between.
      // If the checkpoint is unchanged, it is returned without that value.
      if (blobs.size < keys.size) {
        again = (await this.#newestEntries(checkpoint)) ?? new Map();
      }
      const revision = again.get(checkpoint)?.revision;
      if (revision !== undefined && revision === entries.get(checkpoint)?.revision) {
        const values: Record<string, unknown> = {};
        for (const [channel, blob] of keys) {
          const found = blobs.get(blob);
          if (found) {
            values[channel] = await untyped(this.#serde, found);
          }
        }
        const writes = await pendingWrites(this.#serde, checkpoint, entries);
        return this.#withSends(stored, await tupleOf(this.#serde, this.#threadId, stored, values, writes));
      }
      entries = again;
    }
  }

  /** Returns a checkpoint of an old version with the sends that are writes of its parent. */
  async #withSends({ ns, parent }: StoredCheckpoint, tuple: CheckpointTuple): Promise<CheckpointTuple> {
    const { checkpoint } = tuple;
    if (checkpoint.v >= WITH_SENDS || parent === null) {
      return tuple;
    }
    const parentKey = checkpointKey(ns, parent);
    const writes = await pendingWrites(this.#serde, parentKey, (await this.#newestEntries(parentKey)) ?? new Map());
    const sends = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    return {
      ...tuple,
      checkpoint: {
        ...checkpoint,
        channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
        channel_versions: {
          ...checkpoint.channel_versions,
          [TASKS]: versions.length > 0 ? maxChannelVersion(...versions) : nextVersion(undefined),
        },
      },
    };
  }

  /** Returns the blobs of these keys, without those that do not exist. */
  async #documents(keys: readonly string[]): Promise<Map<string, Typed>> {
    const heads = await this.#entries.read(keys);
    const pieces = await this.#entries.read(keys.flatMap((key) => missingPieces(key, heads)));
    const entries = new Map([...heads, ...pieces]);
    return new Map(
      keys.flatMap((key) => {
        const document = documentIn(key, entries) as { readonly value: Typed } | undefined;
        return document ? [[key, document.value]] : [];
      }),
    );
  }
}

/** Returns a version greater than the current one, and different from those of other branches of the thread. */
export function nextVersion(current: number | undefined): number {
  return Math.floor(current ?? 0) + 1 + Math.random();
}

function entriesOf(key: string, entries: ReadonlyMap<string, Entry>): [string, Entry][] {
  const entry = entries.get(key);
  return entry ? [[key, entry]] : [];
}
