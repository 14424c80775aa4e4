/**
 * Notices a stream on which nothing has come for too long. Browsers leave one open whose network was lost, or whose
 * machine has slept.
 */
export class Silence {
  readonly #noticed = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly maxMs: number) {}

  /** Aborted once the silence was too long. */
  get signal(): AbortSignal {
    return this.#noticed.signal;
  }

  /** Waits for the next message. */
  begin(): void {
    if (Number.isFinite(this.maxMs)) {
      this.#timer = setTimeout(() => {
        this.#noticed.abort();
      }, this.maxMs);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
