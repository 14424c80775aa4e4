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

const DEFAULT_LEASE_MS = 30_000;
// How long one call waits for another holder; the next one goes on for as long as the caller is willing to wait.
const WAIT_EACH_MS = 20_000;
// A renewal may fail, and the next still comes in time.
const RENEWALS_PER_LEASE = 3;

/** How to get or set a value that has yet to be made. */
export interface ReservationOptions extends EntryOptions, CallOptions {
  /** Look at the place alone: what its parents have does not count. */
  readonly localOnly?: boolean;
  /** How long the reservation outlives its maker, in milliseconds: 100 to 600,000; 30,000 when left out. */
  readonly leaseMs?: number;
  /** How long to wait for another maker, in milliseconds; for as long as it takes when left out. */
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
   * Answers the value that is there, or has it made and stores it. Once made, a value is kept: when the reservation is
   * lost meanwhile, it is offered again, not made again.
   */
  async getOrMake(factory: () => unknown): Promise<unknown> {
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
    const times = { lease: durationFromMs(this.#leaseMs), wait: durationFromMs(Math.round(waitMs)) };
    return this.#stub.reserveEntry(
      { ...this.#asked, localOnly, ...times },
      { ...(signal && { signal }), timeoutMs: timeoutMs + waitMs },
    );
  }

  #checkPatience(): void {
    if (performance.now() >= this.#until) {
      const message = `another caller is still making the value of ${JSON.stringify(this.#asked.key)}`;
      throw new DeadlineExceeded(message, { code: "DEADLINE_EXCEEDED" });
    }
  }

  async #renewing(token: string, factory: () => unknown): Promise<unknown> {
    const made = new AbortController();
    const renewals = this.#renewUntil(made.signal, token);
    try {
      return await unlessAborted(
        Promise.resolve().then(() => factory()),
        this.#options.signal,
      );
    } finally {
      made.abort();
      await renewals;
    }
  }

  async #renewUntil(made: AbortSignal, token: string): Promise<void> {
    const { localOnly = false } = this.#options;
    const renewal = { ...this.#asked, localOnly, lease: durationFromMs(this.#leaseMs), reservationToken: token };
    for (;;) {
      await wait(this.#leaseMs / RENEWALS_PER_LEASE, made);
      if (made.aborted) {
        return;
      }
      try {
        await this.#stub.reserveEntry(renewal, { signal: made });
      } catch (error) {
        if (error instanceof ReservationLost) {
          return;
        }
        // The next turn may still come in time.
      }
    }
  }

  /** Answers false when the reservation was lost meanwhile. */
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
      await this.#stub.removeEntry({ ...this.#asked, reservationToken });
    } catch {
      // The lease ends by itself.
    }
  }

  get #stub() {
    return this.#transport.stub(WorkingMemoryService);
  }
}
