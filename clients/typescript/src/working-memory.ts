import { PayloadMode, type Entry, type MemoryType } from "#protos/memoryd/v1/entry_pb";
import { WorkingMemoryService, type SetEntryResponse } from "#protos/memoryd/v1/working_memory_service_pb";
import { Batch } from "./batch.js";
import { contentOf, preconditionOf, type CallOptions, type Condition, type EntryOptions } from "./entry-options.js";
import { ScopeNotFound, WrongType } from "./errors.js";
import { Json } from "./json.js";
import type { Place } from "./place.js";
import { Reservation, type ReservationOptions } from "./reservation.js";
import type { MemorydTransport } from "./transport.js";
import { update } from "./update.js";
import { Watch, type WatchOptions } from "./watch.js";

const PAGE_SIZE = 1_000;

/** How to read. */
export interface ReadOptions extends CallOptions {
  /** Look at this agent or scope alone, without its parents. */
  readonly localOnly?: boolean;
}

/** Tells whether a value is of the type that the caller wants. */
export interface Check<T> {
  /** A type guard; a value that does not pass it is thrown as `WrongType`. Without one the type is taken on trust. */
  readonly check?: (value: unknown) => value is T;
}

/** Which entries to list: those that pass all of it. */
export interface Listing extends CallOptions {
  /** Also list what a lookup would find in the parents. */
  readonly inherited?: boolean;
  readonly keyPrefix?: string;
  /** Keep the entries that have all of them. */
  readonly tags?: readonly string[];
  /** Keep the entries of any of them. */
  readonly memoryTypes?: readonly MemoryType[];
  /** Whether the values come along; they do when left out. */
  readonly payloadMode?: PayloadMode;
}

/** How a scope is merged into its parent. */
export interface MergeOptions extends CallOptions, Pick<Condition, "expectedRevision"> {
  /** Whether the scope's entries replace the parent's of the same key; they do when left out. */
  readonly overwrite?: boolean;
  /** End the scope and those below it in the same step. */
  readonly dispose?: boolean;
}

/**
 * The working memory of an agent or of a scope: entries by key.
 *
 * In a scope, reads fall back to its parents up to the root, unless they are `localOnly`; writes stay in the scope
 * itself. Keys are 1 to 1,024 bytes of UTF-8, not blank, without control characters.
 *
 * Every method rejects with a {@link MemorydError} when the daemon refuses or cannot be reached: with `ScopeDisposed`
 * after the scope's end, with `Cancelled` when the signal is aborted, with `DeadlineExceeded` after the timeout.
 */
export class WorkingMemory {
  /** The id of the agent. */
  readonly agentId: string;
  /** The id of the scope; empty for the root. */
  readonly scopeId: string;
  /** @internal */
  protected readonly transport: MemorydTransport;

  /** @internal */
  constructor(transport: MemorydTransport, agentId: string, scopeId: string) {
    this.transport = transport;
    this.agentId = agentId;
    this.scopeId = scopeId;
  }

  /**
   * Stores a JSON value (see {@link Json.stringify}), overwriting what is there, and answers its new revision.
   *
   * @throws UnsupportedValue, LimitExceeded, and by its condition EntryExists or RevisionMismatch.
   */
  async set(
    key: string,
    value: unknown,
    options: EntryOptions & Condition & CallOptions = {},
  ): Promise<SetEntryResponse> {
    const request = { ...this.place, key, ...contentOf(value, options), ...preconditionOf(options) };
    return this.stub.setEntry(request, options);
  }

  /**
   * Answers the value (see {@link Json.parse}), or undefined when there is none.
   *
   * @throws WrongType for a value that does not pass the check.
   */
  async get<T = unknown>(key: string, options: ReadOptions & Check<T> = {}): Promise<T | undefined> {
    const entry = await this.getEntry(key, options);
    return entry && valueOf(entry, options);
  }

  /** Answers the whole entry, or undefined when there is none. `valueJson` is its value, byte for byte as it was set. */
  async getEntry(key: string, options: ReadOptions = {}): Promise<Entry | undefined> {
    const { localOnly = false } = options;
    return (await this.stub.getEntry({ ...this.place, key, localOnly }, options)).entry;
  }

  /**
   * Answers the values of 1 to 1,000 keys, all at one revision; a key that has none is left out.
   *
   * @throws WrongType for a value that does not pass the check.
   */
  async getMany<T = unknown>(keys: Iterable<string>, options: ReadOptions & Check<T> = {}): Promise<Map<string, T>> {
    const { localOnly = false } = options;
    const { entries } = await this.stub.batchGetEntries({ ...this.place, keys: [...keys], localOnly }, options);
    return new Map(entries.map((entry) => [entry.key, valueOf(entry, options)]));
  }

  /** Answers whether there is an entry, without reading it. */
  async contains(key: string, options: ReadOptions = {}): Promise<boolean> {
    const { localOnly = false } = options;
    return (await this.stub.containsEntry({ ...this.place, key, localOnly }, options)).found;
  }

  /**
   * Removes this agent's or scope's own entry, and returns whether there was one. The parent's value shows again.
   *
   * @throws RevisionMismatch by its condition.
   */
  async remove(key: string, options: Pick<Condition, "expectedRevision"> & CallOptions = {}): Promise<boolean> {
    return (await this.stub.removeEntry({ ...this.place, key, ...preconditionOf(options) }, options)).removed;
  }

  /** Removes this agent's or scope's own entries, and returns how many. Scopes below keep theirs. */
  async clear(options: CallOptions = {}): Promise<number> {
    return Number((await this.stub.clearEntries(this.place, options)).entriesCleared);
  }

  /**
   * Lists this agent's or scope's own entries in order of their keys, all at one revision, page by page.
   *
   * @throws PageTokenExpired when the reader takes too long.
   */
  async *entries(options: Listing = {}): AsyncGenerator<Entry, void, undefined> {
    const { inherited = false, keyPrefix = "", tags = [], memoryTypes = [] } = options;
    const { payloadMode = PayloadMode.FULL } = options;
    const lists = { tags: [...tags], memoryTypes: [...memoryTypes] };
    const listing = { ...this.place, includeInherited: inherited, keyPrefix, ...lists, payloadMode };
    let pageToken = "";
    do {
      const page = await this.stub.listEntries({ ...listing, pageSize: PAGE_SIZE, pageToken }, options);
      yield* page.entries;
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
  }

  /** Gathers sets and removes, to be committed as one change. */
  batch(): Batch {
    return new Batch(this.transport, this.place);
  }

  /**
   * Replaces this agent's or scope's own value by `change(value)`, losing nobody's update, and answers the new value.
   *
   * `change` gets undefined when there is no value. It runs again when another writer was faster: up to 1,000 times,
   * then the update rejects with `RevisionMismatch`.
   */
  async update<T>(
    key: string,
    change: (value: T | undefined) => T | Promise<T>,
    options: EntryOptions & CallOptions = {},
  ): Promise<T> {
    return update(this, key, change, options);
  }

  /**
   * Answers the value; when there is none, makes it by the factory and stores it.
   *
   * Of all callers in all processes one runs its factory, and the others wait for its value. The maker's lease is
   * renewed while the factory runs; when its process dies, another caller takes over after the lease. What the factory
   * throws is thrown here, and the next caller takes over at once.
   *
   * @throws DeadlineExceeded when others were still making it after `waitMs`; WrongType, for a value that was found.
   */
  async getOrSet<T>(
    key: string,
    factory: () => T | Promise<T>,
    options: ReservationOptions & Check<T> = {},
  ): Promise<T> {
    const value = await new Reservation(this.transport, this.place, key, options).getOrMake(factory);
    return checked(key, value, options);
  }

  /**
   * Creates a scope below this one: `await using task = await agent.scope("task")` disposes it at the end of the
   * block, with all its entries. Names are for people and need not be unique.
   *
   * @throws LimitExceeded, and ScopeExists when an active scope of the name must not exist here, but does.
   */
  async scope(name: string, options: Pick<Condition, "mustNotExist"> & CallOptions = {}): Promise<Scope> {
    const { agentId, scopeId: parentScopeId } = this;
    const request = { agentId, name, parentScopeId, ...preconditionOf(options) };
    const { scope } = await this.stub.createScope(request, options);
    return new Scope(this.transport, agentId, scope?.scopeId ?? "");
  }

  /**
   * Runs the body with a scope below this one, which is disposed at the end with all its entries, and answers what
   * the body answered.
   *
   * With `merge` its entries are first copied here, in the same step, if the body did not fail: "overwrite" replaces
   * entries of the same key, "keepParent" keeps them. When the merge is refused, the scope stays, so that nothing is
   * lost.
   */
  async withScope<R>(
    name: string,
    body: (scope: Scope) => R | Promise<R>,
    options: { readonly merge?: "overwrite" | "keepParent" } & CallOptions = {},
  ): Promise<R> {
    const { merge } = options;
    const scope = await this.scope(name, options);
    let result: R;
    try {
      result = await body(scope);
    } catch (error) {
      // What went wrong in the body says more than what may go wrong here.
      await scope.dispose().catch(() => undefined);
      throw error;
    }
    if (merge === undefined) {
      await scope[Symbol.asyncDispose]();
    } else {
      await scope.merge({ overwrite: merge === "overwrite", dispose: true });
    }
    return result;
  }

  /**
   * Watches what is committed here: of an agent all, of a scope what concerns it and those below it. Once this has
   * resolved, no commit is missed.
   *
   * @throws Unavailable when there is no daemon within the connect timeout.
   */
  async watch(options: WatchOptions = {}): Promise<Watch> {
    const scopeIds = this.scopeId === "" ? [] : [this.scopeId];
    const { keyPrefix = "", eventTypes = [] } = options;
    const filter = { agentIds: [this.agentId], scopeIds, includeDescendants: scopeIds.length > 0, keyPrefix };
    return Watch.open(this.transport, [{ ...filter, eventTypes: [...eventTypes] }], options);
  }

  /** @internal */
  protected get place(): Place {
    return { agentId: this.agentId, scopeId: this.scopeId };
  }

  /** @internal */
  protected get stub() {
    return this.transport.stub(WorkingMemoryService);
  }
}

/** The working memory of one task, below an agent or another scope. It exists until it is disposed. */
export class Scope extends WorkingMemory implements AsyncDisposable {
  /** Copies the scope's own entries to its parent, and answers how many. */
  async merge(options: MergeOptions = {}): Promise<number> {
    const { overwrite = true, dispose = false } = options;
    const request = { ...this.place, overwrite, dispose, ...preconditionOf(options) };
    return Number((await this.stub.mergeScope(request, options)).entriesMerged);
  }

  /**
   * Ends the scope and those below it with all their entries, and answers how many entries that were. A second time
   * does nothing.
   */
  async dispose(options: Pick<Condition, "expectedRevision"> & CallOptions = {}): Promise<number> {
    const request = { ...this.place, ...preconditionOf(options) };
    return Number((await this.stub.disposeScope(request, options)).entriesCleared);
  }

  /** Disposes the scope. One that is not there any more, such as after the end of its agent, is no error here. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.dispose();
    } catch (error) {
      if (!(error instanceof ScopeNotFound)) {
        throw error;
      }
    }
  }
}

function valueOf<T>(entry: Entry, options: Check<T>): T {
  return checked(entry.key, Json.parse(entry.valueJson), options);
}

function checked<T>(key: string, value: unknown, { check }: Check<T>): T {
  if (check && !check(value)) {
    throw new WrongType(key, value);
  }
  return value as T;
}
