import { Cancelled } from "./errors.js";

/** Waits for this time, or until one of the signals is aborted. */
export function wait(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const present = signals.filter((signal) => signal !== undefined);
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of present) {
        signal.removeEventListener("abort", end);
      }
      resolve();
    };
    const timer = setTimeout(end, ms);
    for (const signal of present) {
      signal.addEventListener("abort", end);
    }
    if (present.some((signal) => signal.aborted)) {
      end();
    }
  });
}

/**
 * Returns the result of the work, unless the signal is aborted before. Then the work continues, but its result is
 * ignored.
 *
 * @throws Cancelled if the signal is aborted.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(new Cancelled("the wait was aborted", { code: "CANCELLED", cause: signal?.reason }));
    };
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) {
      abort();
    }
    void work.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}
