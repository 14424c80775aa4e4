import { clone, create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import {
  TransactionService,
  WriteSchema,
  type Write,
  type WriteResult,
} from "#protos/memoryd/v1/transaction_service_pb";
import type { GetOrSetEntryResponse, SetEntryResponse } from "#protos/memoryd/v1/working_memory_service_pb";
import {
  agentPreconditionOf,
  contentOf,
  preconditionOf,
  type CallOptions,
  type Condition,
  type EntryOptions,
} from "./entry-options.js";
import { InternalError } from "./errors.js";
import type { Place } from "./place.js";
import { newRequestId } from "./request-id.js";
import type { MemorydTransport } from "./transport.js";
import { bindWrite } from "./user.js";
import { Scope, type ScopeOptions } from "./working-memory.js";

type Case<T> = T extends { readonly case: infer C extends string } ? C : never;
type ValueOf<T, C> = Extract<T, { readonly case: C }> extends { readonly value: infer V } ? V : never;
type WriteInit = NonNullable<Exclude<MessageInitShape<typeof WriteSchema>, { $typeName: string }>["write"]>;

/** The name of a method that can be part of a transaction, such as `"createNote"`. */
export type WriteMethod = Case<Write["write"]>;
/** The request of a method in a transaction. */
export type WriteRequest<M extends WriteMethod> = ValueOf<WriteInit, M>;
/** The response of a method in a transaction. */
export type WriteResponse<M extends WriteMethod> = ValueOf<WriteResult["result"], M>;

/** The options of a commit: the condition is the agent's. */
export interface CommitOptions extends CallOptions, Condition {
  /**
   * Makes the transaction safe to repeat by another object or process: the same changes with the same id are made once,
   * and have the same results again. At most 128 bytes. Default: a new id for each transaction.
   */
  readonly requestId?: string;
}

/** A change that a transaction has collected. */
export class Written<T> {
  #result: { readonly value: T } | undefined;

  /** True once the transaction is committed. */
  get committed(): boolean {
    return this.#result !== undefined;
  }

  /** The result of the change. Throws an Error unless the transaction is committed. */
  get result(): T {
    if (this.#result === undefined) {
      throw new Error("the transaction is not committed: read the result after commit()");
    }
    return this.#result.value;
  }

  /** @internal */
  settle(value: T): void {
    this.#result = { value };
  }
}

/** The changes of a transaction, in their order. */
class Writes {
  readonly #boundUser: string | undefined;
  readonly messages: Write[] = [];
  readonly settlers: ((result: WriteResult) => void)[] = [];
  closed = false;

  constructor(boundUser: string | undefined) {
    this.#boundUser = boundUser;
  }

  add<M extends WriteMethod, T>(
    method: M,
    request: WriteRequest<M>,
    read: (response: WriteResponse<M>) => T,
  ): Written<T> {
    if (this.closed) {
      throw new Error("the transaction is committed");
    }
    const written = new Written<T>();
    const write = { case: method, value: request } as WriteInit;
    // A copy: the caller may use the request again for another change.
    const message = clone(WriteSchema, create(WriteSchema, { write }));
    if (this.#boundUser !== undefined) {
      bindWrite(message, this.#boundUser);
    }
    this.messages.push(message);
    this.settlers.push(({ result }) => {
      written.settle(read(result.value as WriteResponse<M>));
    });
    return written;
  }
}

/** The changes of entries and scopes that a transaction and its scopes have in common. */
abstract class Changes {
  /** @internal */
  constructor(
    protected readonly transport: MemorydTransport,
    protected readonly writes: Writes,
    protected readonly place: Place,
    protected readonly userId?: string,
  ) {}

  /** The agent's id. */
  get agentId(): string {
    return this.place.agentId;
  }

  /** The scope's id; empty for the agent's root scope. */
  get scopeId(): string {
    return this.place.scopeId;
  }

  /**
   * Stores a value, and overwrites the existing one. The entry in the response has no content.
   *
   * @throws UnsupportedValue at once, if JSON cannot represent the value.
   */
  set(key: string, value: unknown, options: EntryOptions & Condition = {}): Written<SetEntryResponse> {
    const request = {
      scopeId: this.scopeId,
      key,
      ...contentOf(value, options),
      ...preconditionOf(options),
    };
    return this.writes.add("setEntry", request, (response) => response);
  }

  /**
   * Stores a value unless the key has an entry in the scope or, without `localOnly`, in its parents. The response says
   * whether it was stored; the entry in it has no content.
   *
   * @throws UnsupportedValue at once, if JSON cannot represent the value.
   */
  getOrSet(
    key: string,
    value: unknown,
    options: EntryOptions & { readonly localOnly?: boolean } = {},
  ): Written<GetOrSetEntryResponse> {
    const { localOnly = false } = options;
    const request = { scopeId: this.scopeId, key, localOnly, ...contentOf(value, options) };
    return this.writes.add("getOrSetEntry", request, (response) => response);
  }

  /** Removes the own entry of the agent or scope. The result is true if there was one. */
  remove(key: string, options: Condition = {}): Written<boolean> {
    const request = { scopeId: this.scopeId, key, ...preconditionOf(options) };
    return this.writes.add("removeEntry", request, ({ deleted }) => deleted);
  }

  /** Removes the own entries of the agent or scope. The result is their number. Scopes below keep theirs. */
  clear(): Written<number> {
    const request = { scopeId: this.scopeId };
    return this.writes.add("clearEntries", request, ({ clearedEntryCount }) => Number(clearedEntryCount));
  }

  /**
   * Creates a scope below this one. The result is the scope, whose id is known after the commit. It is not held: it ends
   * once it was not used for `idleTtlMs`.
   */
  scope(name: string, options: Omit<ScopeOptions, keyof CallOptions> = {}): Written<Scope> {
    const { userId = "", idleTtlMs } = options;
    const idle = idleTtlMs === undefined ? {} : { idleTtl: durationFromMs(idleTtlMs) };
    const request = { name, parentScopeId: this.scopeId, userId, ...idle, ...preconditionOf(options) };
    return this.writes.add(
      "createScope",
      request,
      ({ scope }) => new Scope(this.transport, this.agentId, scope?.scopeId ?? "", this.userId),
    );
  }
}

/** A scope in a transaction. */
export class TransactionScope extends Changes {
  /**
   * Copies the scope's own entries to its parent and disposes the scope, which `dispose: false` keeps. The result is the
   * number of entries copied.
   */
  merge(options: { readonly overwrite?: boolean; readonly dispose?: boolean } = {}): Written<number> {
    const { overwrite = true, dispose = true } = options;
    const request = { scopeId: this.scopeId, overwrite, dispose };
    return this.writes.add("mergeScope", request, ({ mergedEntryCount }) => Number(mergedEntryCount));
  }

  /**
   * Disposes the scope and those below it with all their entries. The result is the number of entries. A scope that has
   * ended is not an error, unless that is so long ago that the daemon has forgotten it: `RecordNotFound`.
   */
  dispose(): Written<number> {
    const request = { scopeId: this.scopeId };
    return this.writes.add("disposeScope", request, ({ clearedEntryCount }) => Number(clearedEntryCount));
  }
}

/**
 * Up to 1,000 changes of one agent, of all kinds, that are made together, or not at all, in the order in which they were
 * collected. Each change finds what the earlier ones left.
 *
 * Nothing is sent before `commit`. Each method returns a {@link Written}, which has the result after it.
 */
export class Transaction extends Changes {
  readonly #requestId = newRequestId();

  /** @internal */
  constructor(transport: MemorydTransport, agentId: string, userId?: string) {
    super(transport, new Writes(userId), { agentId, scopeId: "" }, userId);
  }

  /** The number of changes that were collected. */
  get length(): number {
    return this.writes.messages.length;
  }

  /** Returns an existing scope, as part of the transaction. */
  attach(scopeId: string): TransactionScope {
    return new TransactionScope(this.transport, this.writes, { agentId: this.agentId, scopeId }, this.userId);
  }

  /**
   * Adds a change of any kind: the request of its method, without an agent, a request id and a condition on the agent.
   * The user that is bound is that of what the request writes, unless it names another. The result is the response of the method. Records in it have no content, which the caller has sent.
   *
   *     const note = tx.add("createNote", { draft: { title: "Ada", content: "lives in Lisbon" } });
   */
  add<M extends WriteMethod>(method: M, request: WriteRequest<M>): Written<WriteResponse<M>> {
    return this.writes.add(method, request, (response) => response);
  }

  /**
   * Makes the changes as one: all of them, or none, at one revision, which it returns. Without changes nothing is sent,
   * and the revision is 0. If it fails, it may be called again: the changes are never made twice.
   *
   * @throws the error of the change that is refused, whose `writeIndex` is its position; nothing has changed then.
   * @throws AgentNotFound, RecordExists or RevisionMismatch if the condition on the agent is not met.
   */
  async commit(options: CommitOptions = {}): Promise<bigint> {
    const { messages, settlers, closed } = this.writes;
    if (closed) {
      throw new Error("the transaction is committed");
    }
    if (messages.length === 0) {
      return 0n;
    }
    const { requestId = this.#requestId } = options;
    const request = { agentId: this.agentId, requestId, writes: messages, ...agentPreconditionOf(options) };
    const { revision, results } = await this.transport.stub(TransactionService).commit(request, options);
    if (results.length !== settlers.length) {
      throw new InternalError(`the commit has ${results.length} results for ${settlers.length} writes`);
    }
    this.writes.closed = true;
    results.forEach((result, index) => settlers[index]?.(result));
    return revision;
  }
}
