import { Cancelled } from "./errors.js";

/** Waits for so many milliseconds, or until one of the signals is aborted: whichever comes first. */
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
 * Answers what the work answers, unless the signal is aborted before. The work goes on then, but nobody waits for it.
 *
 * @throws Cancelled
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
