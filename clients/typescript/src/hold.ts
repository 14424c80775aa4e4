import { WorkingMemoryService } from "#protos/memoryd/v1/working_memory_service_pb";
import { RecordNotFound } from "./errors.js";
import type { Place } from "./place.js";
import type { MemorydTransport } from "./transport.js";
import { waitIdly } from "./wait.js";

// One renewal may fail: the next one still comes before the scope ends.
const RENEWALS_PER_IDLE_TTL = 3;

/**
 * Uses a scope until it is released, so that the daemon keeps it. It ends by itself when the scope is found to be
 * disposed or when the client is closed, and does not keep the program running.
 */
export class Hold {
  readonly #released = new AbortController();
  readonly #transport: MemorydTransport;
  readonly #place: Place;

  constructor(transport: MemorydTransport, place: Place, idleTtlMs: number) {
    this.#transport = transport;
    this.#place = place;
    void this.#renew(idleTtlMs / RENEWALS_PER_IDLE_TTL);
  }

  /** Ends the renewals. A second call does nothing. */
  release(): void {
    this.#released.abort();
  }

  async #renew(intervalMs: number): Promise<void> {
    const signal = AbortSignal.any([this.#released.signal, this.#transport.closed]);
    for (;;) {
      await waitIdly(intervalMs, signal);
      if (signal.aborted || (await this.#isOver(signal))) {
        return;
      }
    }
  }

  async #isOver(signal: AbortSignal): Promise<boolean> {
    try {
      const { scope } = await this.#transport.stub(WorkingMemoryService).getScope(this.#place, { signal });
      return scope?.disposed ?? false;
    } catch (error) {
      // Any other cause may pass before the scope ends: try again at the next turn.
      return error instanceof RecordNotFound;
    }
  }
}
