import type { MessageInitShape } from "@bufbuild/protobuf";
import type { EventFilterSchema } from "#protos/memoryd/v1/event_pb";
import { RecordKind } from "#protos/memoryd/v1/record_pb";
import { WorkingMemoryService } from "#protos/memoryd/v1/working_memory_service_pb";
import {
  CacheFull,
  Cancelled,
  FailedPrecondition,
  InvalidArgument,
  InvalidResumeToken,
  MemorydError,
  PermissionDenied,
  StaleRead,
  Unauthenticated,
  Unimplemented,
} from "../errors.js";
import { backoffMs } from "../retry.js";
import type { MemorydTransport } from "../transport.js";
import { unlessAborted, wait } from "../wait.js";
import { Watch } from "../watch.js";
import { RESTARTED } from "../watch-progress.js";
import { includes, isReached, markAt, markOf, type Mark } from "./mark.js";
import { Mirror } from "./mirror.js";
import type { NearCacheSettings } from "./options.js";
import type { Witness } from "./witnesses.js";

type Filter = MessageInitShape<typeof EventFilterSchema>;

/** The time for which a write waits until the caches of its agent have it. Then they ask the daemon. */
const SEEN_MS_MAX = 1_000;
const LONGEST_DELAY_MS = 5_000;
/** The mark of a mirror that has nothing yet. */
const BEGINNING: Mark = { revision: 0n, lives: 0 };
// That of a change of which only a proof, or another state, shows that it is there.
const UNKNOWN: Mark = { revision: 2n ** 63n - 1n, lives: 0 };
const WORKING = [RecordKind.ENTRY, RecordKind.SCOPE, RecordKind.AGENT];
const PERMANENT = [InvalidArgument, PermissionDenied, Unauthenticated, Unimplemented];

/** The mirror of an agent, kept current by a watch. */
export class Copy {
  mirror: Mirror;
  /** Until then the mirror is known to have all changes that it has to have, by `performance.now()`. */
  freshUntil = -Infinity;
  /** What has ended the watch for good. */
  failure: unknown;
  readonly #transport: MemorydTransport;
  readonly #stop = new AbortController();
  readonly #failing = new AbortController();
  readonly #checks = new Set<() => void>();
  /** The writes of this client that a wait for the mirror gave up on, and when. None makes another one redundant. */
  #owed: readonly { readonly mark: Mark; readonly since: number }[] = [];
  #freshAt = -Infinity;
  #workers: readonly Promise<void>[] = [];

  constructor(
    transport: MemorydTransport,
    readonly agentId: string,
    readonly settings: NearCacheSettings,
  ) {
    this.#transport = transport;
    this.mirror = this.#newMirror();
    transport.link.share(this.#stop.signal, this.#failing.signal);
  }

  /** The milliseconds within which the last changes may be missing. Infinity if that is not known. */
  get stalenessMs(): number {
    return performance.now() - this.#freshAt;
  }

  /** Resolves once the mirror has the agent's state. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    const filters = await this.#filters(signal);
    this.#transport.witnesses.add(this.agentId, this.#witness);
    const opened = new Promise<void>((resolve, reject) => {
      this.#workers = [this.#follow(filters, resolve, reject)];
    });
    await unlessAborted(opened, signal);
    this.#workers = [...this.#workers, this.#prove()];
  }

  /** Ends the copy. Reads then ask the daemon. */
  async close(): Promise<void> {
    this.#transport.witnesses.remove(this.agentId, this.#witness);
    this.#stop.abort();
    await Promise.all(this.#workers);
    this.#empty();
  }

  /** Returns true if a read has to ask the daemon. Throws StaleRead if it is to be refused. */
  isStale(): boolean {
    return performance.now() > this.freshUntil && this.#mustAsk();
  }

  #mustAsk(): boolean {
    const { whenStale, maxStalenessMs } = this.settings;
    if (whenStale === "refuse") {
      const message = `the near cache of ${JSON.stringify(this.agentId)} may be older than ${maxStalenessMs} ms`;
      throw new StaleRead(message, { cause: this.failure });
    }
    // A write of this client is never missing, however stale reads may be.
    return whenStale === "ask" || this.#owed.length > 0 || !this.mirror.isComplete;
  }

  readonly #witness: Witness = (isLate) => {
    const before = isLate ? BEGINNING : markAt(this.mirror);
    return async (revision, signal) => {
      const mark = revision === undefined ? UNKNOWN : markOf(revision, before);
      // While the first state is loaded, and after the end of the watch, a wait would be for nothing.
      const isCurrent = this.mirror.isComplete && this.failure === undefined;
      if (revision === undefined || !(isCurrent && (await this.#reaches(mark, SEEN_MS_MAX, signal)))) {
        this.#owe(mark);
      }
    };
  };

  #owe(mark: Mark): void {
    const others = this.#owed.filter((owed) => !includes(mark, owed.mark));
    this.#owed = [...others, { mark, since: performance.now() }];
    this.#setFreshUntil();
  }

  async #filters(signal: AbortSignal | undefined): Promise<Filter[]> {
    const { scopeId, keyPrefix, notes } = this.settings;
    const agentIds = [this.agentId];
    const working = { agentIds, keyPrefix, kinds: WORKING };
    const filters: Filter[] = scopeId
      ? [
          { ...working, scopeIds: [scopeId], includeDescendants: true },
          { ...working, scopeIds: await this.#ancestors(scopeId, signal) },
        ]
      : [working];
    return notes ? [...filters, { agentIds, kinds: [RecordKind.NOTE, RecordKind.AGENT] }] : filters;
  }

  async #ancestors(scopeId: string, signal: AbortSignal | undefined): Promise<string[]> {
    const ancestors: string[] = [];
    for (let id = scopeId; id !== "";) {
      const request = { agentId: this.agentId, scopeId: id };
      const { scope } = await this.#transport
        .stub(WorkingMemoryService)
        .getScope(request, { ...(signal && { signal }) });
      id = scope?.parentScopeId ?? "";
      ancestors.push(id);
    }
    return ancestors;
  }

  async #follow(filters: Filter[], opened: () => void, refused: (error: unknown) => void): Promise<void> {
    let failures = 0;
    const loaded = (): void => {
      failures = 0;
      opened();
    };
    while (!this.#isOver()) {
      try {
        await this.#load(filters, loaded);
      } catch (error) {
        if (!this.#isOver() && !(this.mirror.isComplete && mayBeginAgain(error))) {
          this.#fail(error);
          refused(error);
          return;
        }
      }
      failures += 1;
      await wait(backoffMs(failures, LONGEST_DELAY_MS), this.#stop.signal, this.#transport.closed);
    }
    refused(new Cancelled("the client was closed", { code: "CANCELLED" }));
  }

  async #load(filters: Filter[], loaded: () => void): Promise<void> {
    let began = performance.now();
    let mirror = this.#newMirror();
    const options = { initialState: true, progressOnCommit: true, outageMaxMs: Infinity, signal: this.#stop.signal };
    const watch = await Watch.open(this.#transport, filters, options);
    for await (const message of watch.messages()) {
      if (message.phase === RESTARTED) {
        began = performance.now();
        mirror = this.#newMirror();
        continue;
      }
      mirror.apply(message);
      if (mirror.isComplete && mirror !== this.mirror) {
        this.#replace(mirror, began);
        loaded();
      }
      this.#settle();
    }
  }

  /** Uses a mirror whose watch has begun at this time. */
  #replace(mirror: Mirror, began: number): void {
    mirror.lives += this.mirror.lives + 1;
    this.mirror = mirror;
    this.#advance(began);
  }

  /**
   * Finds out again and again how current the mirror is: it was, when a call began that it has caught up with. A mirror
   * without a bound does so only while a write is owed.
   */
  async #prove(): Promise<void> {
    const { signal } = this.#stop;
    const { probeIntervalMs } = this.settings;
    const request = { agentId: this.agentId, key: "-" };
    for (;;) {
      await wait(probeIntervalMs, signal, this.#transport.closed);
      if (this.#isOver() || this.failure !== undefined) {
        return;
      }
      if (this.settings.maxStalenessMs === Infinity && this.#owed.length === 0) {
        continue;
      }
      const began = performance.now();
      const before = markAt(this.mirror);
      try {
        const { revision } = await this.#transport.stub(WorkingMemoryService).containsEntry(request, { signal });
        if (await this.#reaches(markOf(revision, before), probeIntervalMs)) {
          this.#advance(began);
        }
      } catch {
        // The cause may pass: the next turn tries again, and until then the staleness grows.
      }
    }
  }

  /** Returns whether the mirror reaches a mark within this time. */
  async #reaches(mark: Mark, ms: number, signal?: AbortSignal): Promise<boolean> {
    if (isReached(mark, this.mirror)) {
      return true;
    }
    const reached = new AbortController();
    const check = (): void => {
      if (isReached(mark, this.mirror)) {
        reached.abort();
      }
    };
    this.#checks.add(check);
    await wait(ms, reached.signal, signal, this.#failing.signal, this.#stop.signal, this.#transport.closed);
    this.#checks.delete(check);
    return reached.signal.aborted;
  }

  #settle(): void {
    if (this.#owed.length > 0) {
      this.#owed = this.#owed.filter(({ mark }) => !isReached(mark, this.mirror));
      this.#setFreshUntil();
    }
    for (const check of this.#checks) {
      check();
    }
  }

  /** Takes note that the mirror has all that was committed before a time. */
  #advance(freshAt: number): void {
    // What was owed before then is in the mirror, or was lost by the daemon.
    this.#owed = this.#owed.filter(({ since }) => since >= freshAt);
    this.#freshAt = Math.max(this.#freshAt, freshAt);
    this.#setFreshUntil();
  }

  #setFreshUntil(): void {
    this.freshUntil = this.#owed.length > 0 ? -Infinity : this.#freshAt + this.settings.maxStalenessMs;
  }

  #fail(error: unknown): void {
    this.failure = error;
    this.#failing.abort();
    if (error instanceof CacheFull) {
      // Its memory is what the caller wanted to bound.
      this.#empty();
    }
  }

  #empty(): void {
    this.mirror = this.#newMirror();
    this.#freshAt = this.freshUntil = -Infinity;
  }

  #newMirror(): Mirror {
    return new Mirror(this.settings.maxBytes);
  }

  #isOver(): boolean {
    return this.#stop.signal.aborted || this.#transport.closed.aborted;
  }
}

function mayBeginAgain(error: unknown): boolean {
  if (error instanceof InvalidResumeToken || error instanceof FailedPrecondition) {
    return true;
  }
  const failed = error instanceof MemorydError && error.code !== undefined;
  return failed && !PERMANENT.some((permanent) => error instanceof permanent);
}
