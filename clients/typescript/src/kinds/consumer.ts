import { createContextValues } from "@connectrpc/connect";
import type { Fragment } from "#protos/memoryd/v1/fragment_pb";
import { FragmentService } from "#protos/memoryd/v1/fragment_service_pb";
import {
  InvalidArgument,
  LeaseLost,
  MemorydError,
  PermissionDenied,
  Unauthenticated,
  Unimplemented,
} from "../errors.js";
import { backoffMs, lastAttempt } from "../retry.js";
import { wait } from "../wait.js";
import { Kind } from "./kind.js";

const DEFAULT_LIMIT = 10;
const DEFAULT_LEASE_MS = 10_000;
// One renewal may fail: the next one still comes before the lease expires.
const RENEWALS_PER_LEASE = 3;
// How long one call waits for fragments. None is cancelled when the consumer is closed: the daemon may have leased
// fragments to it already, which nobody would get before the lease expires.
const WAIT_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** No retry can resolve these. */
const PERMANENT = [InvalidArgument, PermissionDenied, Unauthenticated, Unimplemented];

/** The options of a consumer. */
export interface ConsumerOptions {
  /** Maximum number of fragments that the handler receives together. Default: 10. */
  readonly limit?: number;
  /** The lease of the fragments in milliseconds, which is renewed while the handler runs. Default: 10,000. */
  readonly leaseMs?: number;
  /** Receives each error of the handler and of calls that are tried again. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
  /** Closes the consumer once it is aborted. */
  readonly signal?: AbortSignal;
}

/** Handles fragments. They are delivered again unless it returns. Its signal is aborted if their lease is lost. */
export type FragmentHandler = (fragments: readonly Fragment[], signal: AbortSignal) => unknown;

/** What a consumer does with the fragments of an agent. */
interface Leases {
  take: (limit: number, leaseMs: number) => Promise<{ leaseToken: string; fragments: Fragment[] }>;
  renew: (leaseToken: string, leaseMs: number, signal: AbortSignal) => Promise<unknown>;
  acknowledge: (leaseToken: string) => Promise<unknown>;
  release: (leaseToken: string) => Promise<unknown>;
}

/**
 * Delivers flushed fragments to a handler, each at least once, also across restarts of the daemon.
 *
 * When the handler returns, its fragments leave the buffer. When it throws, they are delivered again, and the consumer
 * pauses for up to 30 seconds. It ends when it or its client is closed, or with an error that no retry can resolve.
 */
export class Consumer implements AsyncDisposable {
  /** Resolves when the consumer has ended. Rejects with the error that it ended with. */
  readonly ended: Promise<void>;
  readonly #leases: Leases;
  readonly #handler: FragmentHandler;
  readonly #options: Required<Omit<ConsumerOptions, "signal">>;
  readonly #closing: AbortController;

  /** @internal */
  constructor(leases: Leases, handler: FragmentHandler, options: ConsumerOptions, closing: AbortController) {
    const { limit = DEFAULT_LIMIT, leaseMs = DEFAULT_LEASE_MS, onError = console.error } = options;
    this.#leases = leases;
    this.#handler = handler;
    this.#options = { limit, leaseMs, onError };
    this.#closing = closing;
    this.ended = this.#run();
    // A program that does not wait for the end must not be ended by its error.
    this.ended.catch(() => undefined);
  }

  /**
   * Ends the consumer once a running handler has returned. A pending call for fragments ends within a second, and what it
   * still receives is released.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.ended;
  }

  /** Closes the consumer. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isClosed()) {
      try {
        failures = (await this.#turn()) ? 0 : failures + 1;
      } catch (error) {
        if (this.#isClosed()) {
          return;
        }
        if (!(error instanceof MemorydError) || PERMANENT.some((kind) => error instanceof kind)) {
          throw error;
        }
        this.#options.onError(error);
        failures += 1;
      }
      if (failures > 0) {
        await wait(backoffMs(failures, LONGEST_PAUSE_MS), this.#closing.signal);
      }
    }
  }

  /** Has some fragments handled, if there are any. Returns false if the handler has thrown. */
  async #turn(): Promise<boolean> {
    const { limit, leaseMs } = this.#options;
    const { leaseToken, fragments } = await this.#leases.take(limit, leaseMs);
    if (fragments.length === 0) {
      return true;
    }
    if (this.#isClosed()) {
      await this.#release(leaseToken);
      return true;
    }
    try {
      await this.#handle(leaseToken, fragments);
    } catch (error) {
      await this.#release(leaseToken);
      this.#options.onError(error);
      return false;
    }
    try {
      await this.#leases.acknowledge(leaseToken);
    } catch (error) {
      // They are not released: they were handled, and the daemon may have removed them before the call failed.
      if (!(error instanceof LeaseLost)) {
        throw error;
      }
      this.#options.onError(error);
    }
    return true;
  }

  async #handle(leaseToken: string, fragments: readonly Fragment[]): Promise<void> {
    const [done, lost] = [new AbortController(), new AbortController()];
    const renewals = this.#renewUntil(done.signal, leaseToken, lost);
    try {
      await this.#handler(fragments, lost.signal);
    } finally {
      done.abort();
      await renewals;
    }
  }

  async #renewUntil(done: AbortSignal, leaseToken: string, lost: AbortController): Promise<void> {
    const { leaseMs } = this.#options;
    for (;;) {
      await wait(leaseMs / RENEWALS_PER_LEASE, done);
      if (done.aborted) {
        return;
      }
      try {
        await this.#leases.renew(leaseToken, leaseMs, done);
      } catch (error) {
        if (error instanceof LeaseLost) {
          lost.abort(error);
          return;
        }
        // The cause may pass before the lease expires: try again at the next turn.
      }
    }
  }

  async #release(leaseToken: string): Promise<void> {
    try {
      await this.#leases.release(leaseToken);
    } catch {
      // The lease expires anyway.
    }
  }
}

/** The part of the fragments' wrapper that is written by hand. */
export abstract class Consuming extends Kind {
  /**
   * Delivers flushed fragments to a handler, at most `limit` at a time, until the consumer is closed:
   * `await using consumer = agent.fragments.onFlush(consolidate)`. Any number of consumers share the fragments.
   */
  onFlush(handler: FragmentHandler, options: ConsumerOptions = {}): Consumer {
    const closing = new AbortController();
    const { closed } = this.transport;
    const close = (): void => {
      closing.abort();
    };
    for (const ending of [closed, options.signal]) {
      ending?.addEventListener("abort", close, { signal: closing.signal });
    }
    if (options.signal?.aborted) {
      close();
    }
    const contextValues = createContextValues().set(lastAttempt, closing.signal);
    const { leaseFragments, renewFragmentLease, acknowledgeFragments, releaseFragments } = FragmentService.method;
    const leases: Leases = {
      take: (limit, leaseDurationMs) =>
        this.call(leaseFragments, { limit, leaseDurationMs, waitDurationMs: WAIT_MS, contextValues }),
      renew: (leaseToken, leaseDurationMs, signal) =>
        this.call(renewFragmentLease, { leaseToken, leaseDurationMs, signal }),
      acknowledge: (leaseToken) => this.call(acknowledgeFragments, { leaseToken, contextValues }),
      release: (leaseToken) => this.call(releaseFragments, { leaseToken, contextValues }),
    };
    return new Consumer(leases, handler, options, closing);
  }
}
