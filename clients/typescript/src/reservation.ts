import { durationFromMs } from "@bufbuild/protobuf/wkt";
import {
  ReserveOutcome,
  WorkingMemoryService,
  type ReserveEntryResponse,
} from "#protos/memoryd/v1/working_memory_service_pb";
import { contentOf, type CallOptions, type EntryOptions } from "./entry-options.js";
import { DeadlineExceeded, ReservationLost } from "./errors.js";
import { Json } from "./json.js";
import type { Place } from "./place.js";
import type { MemorydTransport } from "./transport.js";
import { unlessAborted, wait } from "./wait.js";

const DEFAULT_LEASE_MS = 10_000;
// The time that one call waits for another holder; it is repeated until the caller's own wait is over.
const WAIT_EACH_MS = 20_000;
// One renewal may fail: the next one still comes before the lease expires.
const RENEWALS_PER_LEASE = 3;

/** The options of a get-or-set with a factory. */
export interface ReservationOptions extends EntryOptions, CallOptions {
  /** If true, only the own entry of the agent or scope counts, not those of its parents. */
  readonly localOnly?: boolean;
  /** The lease of the reservation in milliseconds, from 100 to 600,000. Default: 10,000. */
  readonly leaseMs?: number;
  /** The time to wait for another caller's value, in milliseconds. Default: no limit. */
  readonly waitMs?: number;
}

/** One caller's get-or-set of one key, atomic across all clients. */
export class Reservation {
  readonly #transport: MemorydTransport;
  readonly #asked: Place & { readonly key: string };
  readonly #options: ReservationOptions;
  readonly #leaseMs: number;
  readonly #until: number;

  constructor(transport: MemorydTransport, place: Place, key: string, options: ReservationOptions) {
    this.#transport = transport;
    this.#asked = { ...place, key };
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
    this.#until = performance.now() + (options.waitMs ?? Infinity);
  }

  /**
   * Returns the existing value, or calls the factory and stores its value. If the reservation is lost meanwhile, the
   * same value is stored with the next one: the factory is not called again.
   */
  async getOrMake(factory: (signal: AbortSignal) => unknown): Promise<unknown> {
    let made: string | undefined;
    for (;;) {
      const { outcome, entry, reservationToken } = await this.#reserve();
      if (outcome === ReserveOutcome.FOUND && entry) {
        return Json.parse(entry.valueJson);
      }
      if (outcome === ReserveOutcome.HELD) {
        this.#checkPatience();
        continue;
      }
      try {
        made ??= Json.stringify(await this.#renewing(reservationToken, factory));
        if (await this.#store(reservationToken, made)) {
          return Json.parse(made);
        }
      } catch (error) {
        await this.#giveUp(reservationToken);
        throw error;
      }
    }
  }

  async #reserve(): Promise<ReserveEntryResponse> {
    const { signal, timeoutMs = this.#transport.settings.timeoutMs, localOnly = false } = this.#options;
    const waitMs = Math.max(0, Math.min(WAIT_EACH_MS, this.#until - performance.now()));
    const waitDuration = durationFromMs(Math.round(waitMs));
    return this.#stub.reserveEntry(
      { ...this.#asked, localOnly, leaseDuration: this.#leaseDuration, waitDuration },
      { ...(signal && { signal }), timeoutMs: timeoutMs + waitMs },
    );
  }

  #checkPatience(): void {
    if (performance.now() >= this.#until) {
      const message = `another caller is still making the value of ${JSON.stringify(this.#asked.key)}`;
      throw new DeadlineExceeded(message, { code: "DEADLINE_EXCEEDED" });
    }
  }

  async #renewing(token: string, factory: (signal: AbortSignal) => unknown): Promise<unknown> {
    const made = new AbortController();
    const renewals = this.#renewUntil(made.signal, token);
    const { signal = new AbortController().signal } = this.#options;
    try {
      return await unlessAborted(
        Promise.resolve().then(() => factory(signal)),
        signal,
      );
    } finally {
      made.abort();
      await renewals;
    }
  }

  async #renewUntil(made: AbortSignal, token: string): Promise<void> {
    const renewal = { ...this.#asked, reservationToken: token, leaseDuration: this.#leaseDuration };
    for (;;) {
      await wait(this.#leaseMs / RENEWALS_PER_LEASE, made);
      if (made.aborted) {
        return;
      }
      try {
        await this.#stub.renewReservation(renewal, { signal: made });
      } catch (error) {
        if (error instanceof ReservationLost) {
          return;
        }
        // The cause may pass before the lease expires: try again at the next turn.
      }
    }
  }

  /** Stores the value. Returns false if the reservation was lost meanwhile. */
  async #store(reservationToken: string, text: string): Promise<boolean> {
    const content = contentOf(new Json(text), this.#options);
    try {
      await this.#stub.setEntry({ ...this.#asked, ...content, reservationToken }, this.#options);
      return true;
    } catch (error) {
      if (error instanceof ReservationLost) {
        return false;
      }
      throw error;
    }
  }

  async #giveUp(reservationToken: string): Promise<void> {
    try {
      await this.#stub.releaseReservation({ ...this.#asked, reservationToken });
    } catch {
      // The lease expires anyway.
    }
  }

  get #leaseDuration() {
    return durationFromMs(this.#leaseMs);
  }

  get #stub() {
    return this.#transport.stub(WorkingMemoryService);
  }
}
