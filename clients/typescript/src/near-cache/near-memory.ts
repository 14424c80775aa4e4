import { clone } from "@bufbuild/protobuf";
import { EntrySchema, type Entry } from "#protos/memoryd/v1/entry_pb";
import type { CallOptions } from "../entry-options.js";
import { StaleRead } from "../errors.js";
import { valueOf, type Check } from "../value.js";
import type { WorkingMemory } from "../working-memory.js";
import type { Copy } from "./copy.js";

/** The options of a read of a near cache. Those of calls apply when the daemon is asked. */
export interface NearReadOptions extends CallOptions {
  /** If true, only this agent or scope is read, without a fallback to its parents. */
  readonly localOnly?: boolean;
}

/** Selects the entries to list from a near cache. */
export interface NearListing extends CallOptions {
  /** If true, the listing includes the entries that a read would find in the parents. */
  readonly inherited?: boolean;
  /** Selects the keys that start with it. */
  readonly keyPrefix?: string;
}

/**
 * The entries of an agent's root scope, or of another scope, in a near cache. Reads fall back to the scope's parents, and
 * return what those of {@link WorkingMemory} do. They do not count as uses of an entry or of a scope.
 *
 * While the cache is current enough, a read is no call: `peek` and `peekEntry` return it at once, the others with their
 * promise. All reads without an `await` in between are at one revision then. Otherwise a promise is that of a call to the
 * daemon, which rejects as that of {@link WorkingMemory} does, or rejects with `StaleRead` if stale reads are refused.
 */
export class NearMemory {
  /** @internal */
  protected readonly copy: Copy;
  readonly #memory: WorkingMemory;

  /** @internal */
  constructor(copy: Copy, memory: WorkingMemory) {
    this.copy = copy;
    this.#memory = memory;
  }

  /** The id of the scope, empty for the root. */
  get scopeId(): string {
    return this.#memory.scopeId;
  }

  /**
   * Returns the value without a promise, or undefined if there is none.
   *
   * @throws StaleRead if the daemon would have to be asked, WrongType for a value that does not pass the check.
   */
  peek<T = unknown>(key: string, options: Pick<NearReadOptions, "localOnly"> & Check<T> = {}): T | undefined {
    const entry = this.#peeked(key, options.localOnly);
    return entry && valueOf(entry, options);
  }

  /**
   * Returns the whole entry without a promise, or undefined if there is none. It is without its counts of reads.
   *
   * @throws StaleRead if the daemon would have to be asked.
   */
  peekEntry(key: string, options: Pick<NearReadOptions, "localOnly"> = {}): Entry | undefined {
    return copyOf(this.#peeked(key, options.localOnly));
  }

  /**
   * Returns the value, or undefined if there is none.
   *
   * @throws WrongType for a value that does not pass the check.
   */
  async get<T = unknown>(key: string, options: NearReadOptions & Check<T> = {}): Promise<T | undefined> {
    if (!this.#holds(key)) {
      return this.#memory.get(key, options);
    }
    const entry = this.#find(key, options.localOnly);
    return entry && valueOf(entry, options);
  }

  /** Returns the whole entry, without its counts of reads, or undefined if there is none. */
  async getEntry(key: string, options: NearReadOptions = {}): Promise<Entry | undefined> {
    return this.#holds(key) ? copyOf(this.#find(key, options.localOnly)) : this.#memory.getEntry(key, options);
  }

  /**
   * Returns the values of keys, all at one revision. Keys without a value are left out.
   *
   * @throws WrongType for a value that does not pass the check.
   */
  async getMany<T = unknown>(
    keys: Iterable<string>,
    options: NearReadOptions & Check<T> = {},
  ): Promise<Map<string, T>> {
    const wanted = [...keys];
    if (!wanted.every((key) => this.#holds(key))) {
      return this.#memory.getMany(wanted, options);
    }
    const found = wanted.map((key) => this.#find(key, options.localOnly)).filter((entry) => entry !== undefined);
    return new Map(found.map((entry) => [entry.key, valueOf(entry, options)]));
  }

  /** Returns whether there is an entry. */
  async contains(key: string, options: NearReadOptions = {}): Promise<boolean> {
    return this.#holds(key) ? this.#find(key, options.localOnly) !== undefined : this.#memory.contains(key, options);
  }

  /**
   * Returns the scope's own entries about the bound user, or about no user, in the order of their keys, or with those
   * that it inherits. They are without their counts of reads.
   */
  async entries(options: NearListing = {}): Promise<Entry[]> {
    const found = this.#list(options);
    return found ? found.map((entry) => clone(EntrySchema, entry)) : this.#listed(options, true);
  }

  /** Returns the keys of the entries that `entries` returns. */
  async keys(options: NearListing = {}): Promise<string[]> {
    return (this.#list(options) ?? (await this.#listed(options, false))).map(({ key }) => key);
  }

  /** Returns the entries of a listing, or undefined if the daemon is to be asked. */
  #list({ keyPrefix = "", inherited = false }: NearListing): Entry[] | undefined {
    if (!this.#holds(keyPrefix)) {
      return undefined;
    }
    const { scopeId, userId = "" } = this.#memory;
    return [...this.copy.mirror.entries(scopeId, keyPrefix, inherited)]
      .filter((entry) => entry.userId === userId)
      .map((entry) => ({ entry, place: placeOf(entry.key) }))
      .sort((one, other) => (one.place < other.place ? -1 : 1))
      .map(({ entry }) => entry);
  }

  async #listed(options: NearListing, content: boolean): Promise<Entry[]> {
    const entries: Entry[] = [];
    for await (const entry of this.#memory.entries({ ...options, content })) {
      entries.push(entry);
    }
    return entries;
  }

  #peeked(key: string, localOnly: boolean | undefined): Entry | undefined {
    if (!this.#holds(key)) {
      throw new StaleRead(`the near cache cannot answer for ${JSON.stringify(key)} without the daemon`);
    }
    return this.#find(key, localOnly);
  }

  #find(key: string, localOnly = false): Entry | undefined {
    return this.copy.mirror.find(this.scopeId, key, localOnly);
  }

  /** Returns whether the cache answers for a key, or for a prefix of keys. Throws StaleRead if that is to be refused. */
  #holds(key: string): boolean {
    const { copy } = this;
    return !copy.isStale() && key.startsWith(copy.settings.keyPrefix) && copy.mirror.has(this.scopeId);
  }
}

/** Returns an entry that belongs to the caller. */
function copyOf(entry: Entry | undefined): Entry | undefined {
  return entry && clone(EntrySchema, entry);
}

/**
 * Returns a text that has the place of a key among others. The daemon orders keys by their bytes in UTF-8, JavaScript by
 * their units of UTF-16, where the surrogates are to be behind all others.
 */
function placeOf(key: string): string {
  return key.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });
}
