import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { Client as Stub } from "@connectrpc/connect";
import type { Entry, EntryType } from "#protos/memoryd/v1/entry_pb";
import { ListOrder, RecordView } from "#protos/memoryd/v1/listing_pb";
import type { RecordFilter, RecordFilterSchema } from "#protos/memoryd/v1/record_filter_pb";
import { WorkingMemoryService, type SetEntryResponse } from "#protos/memoryd/v1/working_memory_service_pb";
import { Batch } from "./batch.js";
import { consistencyOf, type Consistency } from "./consistency.js";
import {
  agentPreconditionOf,
  contentOf,
  givenFields,
  preconditionOf,
  type AgentCondition,
  type CallOptions,
  type Condition,
  type EntryOptions,
} from "./entry-options.js";
import { RecordNotFound } from "./errors.js";
import { Hold } from "./hold.js";
import type { Place } from "./place.js";
import { copyOf, entryConditionOf, select, selectUsers } from "./record-filter.js";
import { Reservation, type ReservationOptions } from "./reservation.js";
import type { MemorydTransport } from "./transport.js";
import { update } from "./update.js";
import { about } from "./user.js";
import { checked, valueOf, type Check } from "./value.js";
import { selectionOf, Watch, type EventSelection, type WatchOptions } from "./watch.js";

const PAGE_SIZE = 1_000;
// How long a scope of a block outlives a process that died.
const DEFAULT_IDLE_TTL_MS = 600_000;

/** The options of a read. */
export interface ReadOptions extends CallOptions, Consistency {
  /** If true, only this agent or scope is read, without a fallback to its parents. */
  readonly localOnly?: boolean;
}

/**
 * Selects the entries to list: those that match all of its filters. A list of which an entry has any one, such as
 * `userIds`, is not empty: listing throws a TypeError then, as it does for one that `filter` has, too.
 */
export interface Listing extends CallOptions, Consistency {
  /** If true, the listing includes the entries that a read would find in the parents. */
  readonly inherited?: boolean;
  /** Selects the keys that start with it. */
  readonly keyPrefix?: string;
  /** Selects the entries that have all of these tags. */
  readonly allTags?: readonly string[];
  /** Selects the entries that have at least one of these tags. */
  readonly anyTags?: readonly string[];
  /** Selects the entries of these types. */
  readonly entryTypes?: readonly EntryType[];
  /** Selects the entries about any of these users; an empty id selects those about none. Default: those about none. */
  readonly userIds?: readonly string[];
  /** If true, selects the entries about all users and about none. Excludes `userIds`. */
  readonly allUsers?: boolean;
  /** Further conditions, such as on metadata and times. The options above are added to it; it has none of them itself. */
  readonly filter?: MessageInitShape<typeof RecordFilterSchema>;
  /** The order of the entries. Default: that of their keys. */
  readonly order?: ListOrder;
  /** If false, entries are without content: values, type names, tags and metadata. Default: true. */
  readonly content?: boolean;
}

/** The options of a new scope. */
export interface ScopeOptions extends CallOptions, Condition {
  /** The user that the scope is about. Default: none. */
  readonly userId?: string;
  /**
   * The daemon disposes the scope once it was not used for this long, in milliseconds, at least 1,000: every read and
   * write uses it, and so does the object that `scope` returns, until it is disposed or merged or its client is closed.
   * Default: none; 600,000 for `withScope`.
   */
  readonly idleTtlMs?: number;
}

/** The options of a merge of a scope into its parent. */
export interface MergeOptions extends CallOptions, AgentCondition {
  /** If true, the scope's entries replace the parent's entries of the same keys. Default: true. */
  readonly overwrite?: boolean;
  /** If false, the entries are only copied, and the scope is kept. Default: true. */
  readonly dispose?: boolean;
}

/**
 * The working memory of an agent or of a scope: entries by key.
 *
 * Reads in a scope fall back to its parents up to the root, unless they are `localOnly`. Writes stay in the scope
 * itself. Keys are 1 to 1,024 bytes of UTF-8, not blank, without control characters.
 *
 * Every method rejects with a {@link MemorydError} if the daemon refuses or cannot be reached: with `ScopeDisposed`
 * after the scope's end, with `Cancelled` if the signal is aborted, with `DeadlineExceeded` after the timeout.
 */
export class WorkingMemory {
  /** The id of the agent. */
  readonly agentId: string;
  /** The id of the scope, empty for the root. */
  readonly scopeId: string;
  /** The user that is bound, see {@link Agent.user}. */
  readonly userId: string | undefined;
  /** @internal */
  protected readonly transport: MemorydTransport;

  /** @internal */
  constructor(transport: MemorydTransport, agentId: string, scopeId: string, userId?: string) {
    this.transport = transport;
    this.agentId = agentId;
    this.scopeId = scopeId;
    this.userId = userId;
  }

  /**
   * Stores a JSON value (see {@link Json.stringify}), overwrites the existing one, and returns the new revision, the
   * entry without its content (value, type name, tags and metadata), and whether it was created.
   *
   * @throws UnsupportedValue, TooLarge, QuotaExceeded, and RecordExists, RecordNotFound or RevisionMismatch if the
   * condition is not met.
   */
  async set(
    key: string,
    value: unknown,
    options: EntryOptions & Condition & CallOptions = {},
  ): Promise<SetEntryResponse> {
    const request = { ...this.place, key, ...contentOf(value, this.about(options)), ...preconditionOf(options) };
    return this.transport.batcher?.set(request, options) ?? this.stub.setEntry(request, options);
  }

  /**
   * Stores a value as `set` does, in an entry that keeps the attributes that are not given, the user included.
   *
   * @internal
   */
  async change(
    key: string,
    value: unknown,
    options: EntryOptions & Condition & CallOptions,
  ): Promise<SetEntryResponse> {
    const request = { ...this.place, key, ...contentOf(value, this.about(options)), ...preconditionOf(options) };
    return this.stub.setEntry({ ...request, updateMask: { paths: givenFields(options) } }, options);
  }

  /**
   * Returns the value (see {@link Json.parse}), or undefined if there is none.
   *
   * @throws WrongType for a value that does not pass the check.
   */
  async get<T = unknown>(key: string, options: ReadOptions & Check<T> = {}): Promise<T | undefined> {
    const entry = await this.getEntry(key, options);
    return entry && valueOf(entry, options);
  }

  /** Returns the whole entry, or undefined if there is none. `valueJson` is its value, byte for byte as it was set. */
  async getEntry(key: string, options: ReadOptions = {}): Promise<Entry | undefined> {
    const { localOnly = false } = options;
    const request = { ...this.place, key, localOnly, ...consistencyOf(options) };
    const batched = this.transport.batcher?.get(request, options);
    return batched ?? (await this.stub.getEntry(request, options)).entry;
  }

  /**
   * Returns the values of 1 to 1,000 keys, all at one revision. Keys without a value are left out.
   *
   * @throws WrongType for a value that does not pass the check.
   */
  async getMany<T = unknown>(keys: Iterable<string>, options: ReadOptions & Check<T> = {}): Promise<Map<string, T>> {
    const { localOnly = false } = options;
    const request = { ...this.place, keys: [...keys], localOnly, ...consistencyOf(options) };
    const { entries } = await this.stub.batchGetEntries(request, options);
    return new Map(entries.map((entry) => [entry.key, valueOf(entry, options)]));
  }

  /** Returns whether there is an entry, without reading it. */
  async contains(key: string, options: ReadOptions = {}): Promise<boolean> {
    const { localOnly = false } = options;
    const request = { ...this.place, key, localOnly, ...consistencyOf(options) };
    return (await this.stub.containsEntry(request, options)).found;
  }

  /**
   * Removes this agent's or scope's own entry, and returns whether there was one. The parent's entry becomes visible
   * again. A key without an entry is not an error, unless the condition says so.
   *
   * @throws RecordExists, RecordNotFound or RevisionMismatch if the condition is not met.
   */
  async remove(key: string, options: Condition & CallOptions = {}): Promise<boolean> {
    const request = { ...this.place, key, ...preconditionOf(options) };
    const removing = this.transport.batcher?.remove(request, options) ?? this.stub.removeEntry(request, options);
    return (await removing).deleted;
  }

  /**
   * Removes this agent's or scope's own entries, and returns their number. Scopes below keep theirs.
   *
   * @throws RevisionMismatch if the condition is not met.
   */
  async clear(options: AgentCondition & CallOptions = {}): Promise<number> {
    const request = { ...this.place, ...agentPreconditionOf(options) };
    return Number((await this.stub.clearEntries(request, options)).clearedEntryCount);
  }

  /**
   * Yields this agent's or scope's own entries, all at one revision, page by page. Without `order` they are in the
   * order of their keys.
   *
   * @throws PageTokenExpired if the reader takes too long.
   */
  async *entries(options: Listing = {}): AsyncGenerator<Entry, void, undefined> {
    const { inherited = false, keyPrefix = "", order = ListOrder.UNSPECIFIED, content = true } = options;
    const filter = copyOf(options.filter);
    filter.allTags.push(...(options.allTags ?? []));
    select(filter.anyTags, options.anyTags, "anyTags");
    selectUsers(filter, options.userIds ?? this.boundUsers(options, filter), options.allUsers);
    if (keyPrefix !== "" || options.entryTypes) {
      const condition = entryConditionOf(filter);
      select(condition.keyPrefixes, keyPrefix === "" ? undefined : [keyPrefix], "keyPrefix");
      select(condition.types, options.entryTypes, "entryTypes");
    }
    const filters = { includeInherited: inherited, filter };
    const view = content ? RecordView.FULL : RecordView.WITHOUT_CONTENT;
    const listing = { ...this.place, ...filters, order, view, ...consistencyOf(options) };
    let pageToken = "";
    do {
      const page = await this.stub.listEntries({ ...listing, pageSize: PAGE_SIZE, pageToken }, options);
      yield* page.entries;
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
  }

  /** Returns an empty batch, which collects sets and removes and writes them atomically. */
  batch(): Batch {
    return new Batch(this.transport, this.place, this.userId);
  }

  /**
   * Replaces this agent's or scope's own value by `change(value)`, and returns the new value. No concurrent update is
   * lost.
   *
   * `change` receives undefined if there is no value. It runs again if another writer was faster, up to 1,000 times;
   * then the update rejects with `RevisionMismatch`. The entry keeps its expiry, type, importance, tags, metadata, user
   * and type name, except those that are given: `expireTime: null` ends its expiry.
   */
  async update<T>(
    key: string,
    change: (value: T | undefined) => T | Promise<T>,
    options: EntryOptions & CallOptions = {},
  ): Promise<T> {
    return update(this, key, change, options);
  }

  /**
   * Returns the value. If there is none, calls the factory, and stores and returns its value.
   *
   * Of all callers in all processes, one runs its factory and the others wait for its value. The lease is renewed while
   * the factory runs; if its process dies, another caller takes over when the lease expires. An error of the factory is
   * thrown here, and the next caller takes over at once. The signal that the factory receives is aborted with this call.
   *
   * @throws DeadlineExceeded if another caller's factory still runs after `waitMs`, WrongType if an existing value does
   * not pass the check.
   */
  async getOrSet<T>(
    key: string,
    factory: (signal: AbortSignal) => T | Promise<T>,
    options: ReservationOptions & Check<T> = {},
  ): Promise<T> {
    const value = await new Reservation(this.transport, this.place, key, this.about(options)).getOrMake(factory);
    return checked(key, value, options);
  }

  /**
   * Creates a scope below this one: `await using task = await agent.scope("task")` disposes it at the end of the
   * block, with all its entries. Names are for people and need not be unique, unless `mustNotExist` is true.
   *
   * @throws QuotaExceeded, and RecordExists, RecordNotFound or RevisionMismatch if the condition is not met.
   */
  async scope(name: string, options: ScopeOptions = {}): Promise<Scope> {
    const { agentId, scopeId: parentScopeId } = this;
    const { userId = "", idleTtlMs } = this.about(options);
    const idle = idleTtlMs === undefined ? {} : { idleTtl: durationFromMs(idleTtlMs) };
    const request = { agentId, name, parentScopeId, userId, ...idle, ...preconditionOf(options) };
    const { scope } = await this.stub.createScope(request, options);
    const created = new Scope(this.transport, agentId, scope?.scopeId ?? "", this.userId);
    if (idleTtlMs !== undefined) {
      created.hold(idleTtlMs);
    }
    return created;
  }

  /**
   * Runs the body with a new scope below this one, disposes the scope with all its entries, and returns the result of
   * the body.
   *
   * `merge` copies its entries here in the same step if the body did not fail: "overwrite" replaces entries of the same
   * key, "keepParent" keeps them. If the merge is refused, the scope remains, so that nothing is lost. If this process
   * dies, the daemon disposes the scope after `idleTtlMs`.
   */
  async withScope<R>(
    name: string,
    body: (scope: Scope) => R | Promise<R>,
    options: { readonly merge?: "overwrite" | "keepParent" } & ScopeOptions = {},
  ): Promise<R> {
    const { merge, idleTtlMs = DEFAULT_IDLE_TTL_MS } = options;
    const scope = await this.scope(name, { ...options, idleTtlMs });
    let result: R;
    try {
      result = await body(scope);
    } catch (error) {
      // The error of the body matters more than one of disposing.
      await scope.dispose().catch(() => undefined);
      throw error;
    } finally {
      scope.release();
    }
    if (merge === undefined) {
      await scope.dispose();
    } else {
      await scope.merge({ overwrite: merge === "overwrite" });
    }
    return result;
  }

  /**
   * Watches the events of this agent, or of this scope and those below it. No commit after the promise resolves is
   * missed.
   *
   * @throws Unavailable if the daemon cannot be reached within the connect timeout.
   */
  async watch(options: EventSelection & WatchOptions = {}): Promise<Watch> {
    const { agentId, scopeId } = this;
    const scopes = scopeId === "" ? {} : { scopeIds: [scopeId], includeDescendants: true };
    const userIds = options.userIds ?? this.boundUsers({}, copyOf(options.record));
    const selection = selectionOf({ ...options, ...(userIds && { userIds }) });
    return Watch.open(this.transport, [{ agentIds: [agentId], ...scopes, ...selection }], options);
  }

  /** @internal Returns the options of a change with the bound user, unless they name another. */
  protected about<O extends { readonly userId?: string }>(options: O): O {
    return about(this.userId, options);
  }

  /** @internal Returns the bound user for a selection that names no users. */
  protected boundUsers(
    { allUsers = false }: { readonly allUsers?: boolean },
    filter: RecordFilter,
  ): readonly string[] | undefined {
    const selected = allUsers || filter.allUsers || filter.userIds.length > 0;
    return this.userId === undefined || selected ? undefined : [this.userId];
  }

  /** @internal */
  protected get place(): Place {
    return { agentId: this.agentId, scopeId: this.scopeId };
  }

  /** @internal */
  protected get stub(): Stub<typeof WorkingMemoryService> {
    return this.transport.stub(WorkingMemoryService);
  }
}

/** A scope below an agent or another scope, such as the working memory of one task. It exists until it is disposed. */
export class Scope extends WorkingMemory implements AsyncDisposable {
  #hold: Hold | undefined;

  /** @internal Uses the scope until its end, so that the daemon keeps it. */
  hold(idleTtlMs: number): void {
    this.#hold = new Hold(this.transport, this.place, idleTtlMs);
  }

  /** @internal Ends the use that `hold` began. */
  release(): void {
    this.#hold?.release();
  }

  /**
   * Copies the scope's own entries to its parent, disposes the scope and those below it in the same step, and returns
   * the number of entries copied. If it is refused, the scope remains.
   *
   * @throws ScopeDisposed if the scope has already ended, QuotaExceeded, and AgentNotFound or RevisionMismatch if the
   * condition is not met.
   */
  async merge(options: MergeOptions = {}): Promise<number> {
    const { overwrite = true, dispose = true } = options;
    const request = { ...this.place, overwrite, dispose, ...agentPreconditionOf(options) };
    const { mergedEntryCount } = await this.stub.mergeScope(request, options);
    if (dispose) {
      this.release();
    }
    return Number(mergedEntryCount);
  }

  /**
   * Disposes the scope and those below it with all their entries, and returns the number of entries. A scope that has
   * already ended, by itself or with its agent, is not an error.
   *
   * @throws AgentNotFound or RevisionMismatch if the condition is not met.
   */
  async dispose(options: AgentCondition & CallOptions = {}): Promise<number> {
    const request = { ...this.place, ...agentPreconditionOf(options) };
    try {
      const { clearedEntryCount } = await this.stub.disposeScope(request, options);
      this.release();
      return Number(clearedEntryCount);
    } catch (error) {
      // The daemon remembers a disposed scope for a limited time, and none of an ended agent.
      if (error instanceof RecordNotFound) {
        this.release();
        return 0;
      }
      throw error;
    }
  }

  /** Disposes the scope. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.dispose();
    } finally {
      this.release();
    }
  }
}
