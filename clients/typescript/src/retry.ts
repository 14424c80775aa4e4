import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Interceptor } from "@connectrpc/connect";
import type { MemorydError } from "./errors.js";
import { errorFrom, mayPass } from "./status.js";
import { wait } from "./wait.js";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 2_000;
const TIMEOUT_HEADER = "Grpc-Timeout";

/** Whether a failed call of the method may be sent again: the idempotency level in its proto says so. */
export function isRepeatable(method: DescMethod): boolean {
  return method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

/** Answers the milliseconds to wait after so many failures in a row: growing, bounded, and never the same for two. */
export function backoffMs(failures: number, longestMs = LONGEST_DELAY_MS, random: () => number = Math.random): number {
  return Math.min(longestMs, FIRST_DELAY_MS * 2 ** (failures - 1)) * (0.5 + random() / 2);
}

/** The attempts of one call. `patienceMs` is how long it may take until the last of them begins. */
export class Attempts {
  readonly #patientUntil: number;
  #failures = 0;

  constructor(
    readonly repeatable: boolean,
    patienceMs: number,
    readonly clock: () => number = () => performance.now(),
  ) {
    this.#patientUntil = clock() + patienceMs;
  }

  /** Answers the milliseconds to wait before the next attempt; undefined when there is to be none. */
  delayAfter(error: MemorydError): number | undefined {
    this.#failures += 1;
    const delay = error.retryDelayMs ?? backoffMs(this.#failures);
    const patient = this.clock() + delay < this.#patientUntil;
    return this.repeatable && mayPass(error) && patient ? delay : undefined;
  }
}

/**
 * Tries calls again that failed because the daemon was away, within their timeout.
 *
 * A daemon that has answered once comes back; one that never has may not be there at all, and is asked again for
 * `connectTimeoutMs` only.
 */
export function retryInterceptor(target: string, connectTimeoutMs: number, closed: AbortSignal): Interceptor {
  let heard = false;
  return (next) => async (req) => {
    const timeoutMs = parseInt(req.header.get(TIMEOUT_HEADER) ?? "", 10) || Infinity;
    const deadline = performance.now() + timeoutMs;
    const attempts = new Attempts(isRepeatable(req.method), heard ? timeoutMs : Math.min(timeoutMs, connectTimeoutMs));
    for (;;) {
      try {
        const response = await next(req);
        heard = true;
        return response;
      } catch (thrown) {
        if (req.signal.aborted || closed.aborted) {
          throw thrown;
        }
        const error = errorFrom(thrown, target);
        heard ||= error.reason !== "";
        const delay = attempts.delayAfter(error);
        if (delay === undefined) {
          throw thrown;
        }
        await wait(delay, req.signal, closed);
        if (Number.isFinite(deadline)) {
          // The daemon is told what is left, too: it may wait on purpose until then.
          req.header.set(TIMEOUT_HEADER, `${Math.max(1, Math.ceil(deadline - performance.now()))}m`);
        }
      }
    }
  };
}
