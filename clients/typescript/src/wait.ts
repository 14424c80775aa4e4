import { Cancelled } from "./errors.js";

/** Waits for this time, or until one of the signals is aborted. */
export function wait(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return waitBy(setTimeout, ms, signals);
}

/** Waits as {@link wait} does, without keeping the program running. */
export function waitIdly(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return waitBy(idleTimeout, ms, signals);
}

function idleTimeout(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  // A number in web pages, which no timer keeps open.
  const timer = setTimeout(run, ms) as { unref?: () => unknown } | number;
  if (typeof timer === "object") {
    timer.unref?.();
  }
  return timer as ReturnType<typeof setTimeout>;
}

function waitBy(begin: typeof idleTimeout, ms: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const present = signals.filter((signal) => signal !== undefined);
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of present) {
        signal.removeEventListener("abort", end);
      }
      resolve();
    };
    const timer = begin(end, ms);
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
