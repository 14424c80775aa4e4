import type { MessageInitShape } from "@bufbuild/protobuf";
import { createContextKey, createContextValues } from "@connectrpc/connect";
import { TransactionService, type WriteSchema } from "#protos/memoryd/v1/transaction_service_pb";
import { WorkingMemoryService } from "#protos/memoryd/v1/working_memory_service_pb";
import { InternalError, MemorydError, Overloaded, type StatusCode } from "../errors.js";
import type { MemorydTransport } from "../transport.js";
import { PendingGet, PendingSet, type PendingCall, type PendingWrite } from "./pending.js";

const CALLS_MAX = 1_000;
/** The maximum length of what the writes of a commit contain: with three bytes for each unit of UTF-16, a message has room. */
const LENGTH_MAX = 1 << 20;
const TAG_LENGTH_MAX = 256;

/** True for a call that a lane sends. */
export const ofLane = createContextKey(false);

/**
 * The errors after which nothing has changed, and of which one call alone may be the cause. After others each call would
 * fail, too, or nobody knows whether the changes were made.
 */
const REFUSALS: ReadonlySet<StatusCode | undefined> = new Set<StatusCode>([
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
]);

/** Writes that travel as one commit. */
class Chunk {
  readonly writes: PendingWrite[] = [];
  readonly keys = new Set<string>();
  #length = 0;

  /** Adds a write if there is room for it. */
  add(write: PendingWrite): boolean {
    const length = lengthOf(write);
    if (this.writes.length > 0 && (this.writes.length === CALLS_MAX || this.#length + length > LENGTH_MAX)) {
      return false;
    }
    this.#length += length;
    this.writes.push(write);
    this.keys.add(write.request.key);
    return true;
  }
}

/**
 * The calls of one agent that wait to be sent together. A call waits until the earlier writes of its key are answered,
 * unless both are writes of one commit.
 */
export class Lane {
  readonly #transport: MemorydTransport;
  readonly #agentId: string;
  #waiting: PendingCall[] = [];
  /** The keys that are written by a call that is not answered, which is one call for each key. */
  readonly #unanswered = new Set<string>();
  /** The commits of several writes that are not answered: what they write may yet be written one by one. */
  readonly #commits = new Set<Promise<void>>();

  constructor(transport: MemorydTransport, agentId: string) {
    this.#transport = transport;
    this.#agentId = agentId;
  }

  /** True if no call waits, and no write is unanswered. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#unanswered.size === 0;
  }

  add(call: PendingCall): void {
    this.#waiting.push(call);
  }

  /**
   * Sends all calls that need not wait any longer. Returns undefined if a call that is sent next comes after all of them,
   * otherwise a promise that resolves once it does.
   */
  sendAll(): Promise<unknown> | undefined {
    this.send();
    const earlier = [...this.#commits, ...this.#waiting.map(({ result }) => result)];
    return earlier.length === 0 ? undefined : Promise.allSettled(earlier);
  }

  /** Sends all calls that need not wait any longer. */
  send(): void {
    const waiting = this.#waiting.filter((call) => !call.isOver);
    this.#waiting = [];
    const held = new Set<string>();
    const gets = new Map<string, PendingGet[]>();
    const chunks: Chunk[] = [];
    for (const call of waiting) {
      const { key } = call.request;
      if (held.has(key) || !this.#place(call, gets, chunks)) {
        held.add(key);
        this.#waiting.push(call);
      }
    }
    for (const group of gets.values()) {
      for (let from = 0; from < group.length; from += CALLS_MAX) {
        void this.#get(group.slice(from, from + CALLS_MAX));
      }
    }
    for (const chunk of chunks) {
      const writing = this.#write(chunk);
      if (chunk.writes.length > 1) {
        this.#commits.add(writing);
        void writing.then(() => this.#commits.delete(writing));
      }
    }
  }

  /** Adds a call to those to be sent. Returns false if it has to wait for an earlier write. */
  #place(call: PendingCall, gets: Map<string, PendingGet[]>, chunks: Chunk[]): boolean {
    const { scopeId, key } = call.request;
    const isUnanswered = this.#unanswered.has(key);
    if (call instanceof PendingGet) {
      if (isUnanswered) {
        return false;
      }
      const place = `${call.request.localOnly ? "local" : "inherited"} ${scopeId}`;
      const group = gets.get(place) ?? [];
      gets.set(place, group);
      group.push(call);
      return true;
    }
    const last = chunks.at(-1);
    const isOfLast = last?.keys.has(key) ?? false;
    if (isUnanswered && !isOfLast) {
      return false;
    }
    if (!last?.add(call)) {
      if (isOfLast) {
        return false;
      }
      const chunk = new Chunk();
      chunk.add(call);
      chunks.push(chunk);
    }
    this.#unanswered.add(key);
    return true;
  }

  async #get(gets: readonly PendingGet[]): Promise<void> {
    const [first] = gets;
    if (first === undefined || gets.length === 1) {
      await this.#getEach(gets);
      return;
    }
    const { scopeId, localOnly = false } = first.request;
    const request = { agentId: this.#agentId, scopeId, localOnly, keys: gets.map((get) => get.request.key) };
    try {
      const { entries } = await this.#stub.batchGetEntries(request, this.#options(gets));
      // They are in the order of the keys. A key that was requested twice has two, each for one caller.
      let next = 0;
      for (const get of gets) {
        const entry = entries[next]?.key === get.request.key ? entries[next++] : undefined;
        get.resolve(entry);
      }
    } catch (error) {
      await this.#resolveAfter(error, gets, () => this.#getEach(gets));
    }
  }

  async #getEach(gets: readonly PendingGet[]): Promise<void> {
    await Promise.all(
      gets.map(async (get) => {
        try {
          get.resolve((await this.#stub.getEntry(get.request, this.#options([get]))).entry);
        } catch (error) {
          get.reject(error);
        }
      }),
    );
  }

  async #write(chunk: Chunk): Promise<void> {
    const writes = chunk.writes;
    try {
      await (writes.length === 1 ? this.#writeEach(writes) : this.#commit(writes));
    } catch (error) {
      await this.#resolveAfter(error, writes, () => this.#writeEach(writes));
    }
    for (const key of chunk.keys) {
      this.#unanswered.delete(key);
    }
    this.send();
  }

  async #commit(writes: readonly PendingWrite[]): Promise<void> {
    const request = { agentId: this.#agentId, writes: writes.map(messageOf) };
    const { results } = await this.#transport.stub(TransactionService).commit(request, this.#options(writes));
    for (const [index, write] of writes.entries()) {
      const result = results[index]?.result;
      if (write instanceof PendingSet && result?.case === "setEntry") {
        write.resolve(result.value);
      } else if (!(write instanceof PendingSet) && result?.case === "removeEntry") {
        write.resolve(result.value);
      } else {
        write.reject(new InternalError(`the commit has no result for write ${index}`));
      }
    }
  }

  async #writeEach(writes: readonly PendingWrite[]): Promise<void> {
    await Promise.all(
      writes.map(async (write) => {
        const options = this.#options([write]);
        try {
          if (write instanceof PendingSet) {
            write.resolve(await this.#stub.setEntry(write.request, options));
          } else {
            write.resolve(await this.#stub.removeEntry(write.request, options));
          }
        } catch (error) {
          write.reject(error);
        }
      }),
    );
  }

  /** Makes each call by itself if one of them may be the cause of the error; otherwise each fails with the error. */
  async #resolveAfter(error: unknown, calls: readonly PendingCall[], each: () => Promise<void>): Promise<void> {
    if (error instanceof MemorydError && REFUSALS.has(error.code) && !(error instanceof Overloaded)) {
      await each();
      return;
    }
    for (const call of calls) {
      call.reject(error);
    }
  }

  /** Returns the options of a call in place of others. It is cancelled once all of them are. */
  #options(calls: readonly PendingCall[]) {
    const cancelling = new AbortController();
    const cancel = (): void => {
      if (calls.every((call) => call.signal?.aborted)) {
        cancelling.abort();
      }
    };
    for (const call of calls) {
      call.aborted = cancel;
    }
    cancel();
    const waited = performance.now() - Math.min(...calls.map(({ since }) => since));
    return {
      signal: cancelling.signal,
      timeoutMs: Math.max(1, this.#transport.settings.timeoutMs - waited),
      contextValues: createContextValues().set(ofLane, true),
    };
  }

  get #stub() {
    return this.#transport.stub(WorkingMemoryService);
  }
}

function messageOf(write: PendingWrite): MessageInitShape<typeof WriteSchema> {
  return write instanceof PendingSet
    ? { write: { case: "setEntry", value: write.request } }
    : { write: { case: "removeEntry", value: write.request } };
}

/** Returns the length of what may be long in a write, and infinity if that cannot be sent: it must not fail with others. */
function lengthOf(write: PendingWrite): number {
  if (!(write instanceof PendingSet)) {
    return 0;
  }
  const { content, metadata, tags = [] } = write.request;
  const text = content?.case === "valueJson" ? content.value.length : 0;
  try {
    return text + (metadata ? JSON.stringify(metadata).length : 0) + tags.length * TAG_LENGTH_MAX;
  } catch {
    return Infinity;
  }
}
