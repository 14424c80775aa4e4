import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { createContextKey, type Interceptor } from "@connectrpc/connect";
import type { MemorydError } from "./errors.js";
import { errorFrom, mayPass } from "./status.js";
import { wait } from "./wait.js";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 2_000;

/** The header by which a request names its timeout: a number of milliseconds with its unit. */
export interface TimeoutHeader {
  readonly name: string;
  readonly unit: string;
}

export const GRPC_TIMEOUT: TimeoutHeader = { name: "Grpc-Timeout", unit: "m" };
export const CONNECT_TIMEOUT: TimeoutHeader = { name: "Connect-Timeout-Ms", unit: "" };

/** The signal of a call which, once it is aborted, is not sent again. The attempt in progress is not cancelled. */
export const lastAttempt = createContextKey<AbortSignal | undefined>(undefined);

/**
 * Returns whether a failed call of the method may be sent again, which the idempotency level in its proto specifies.
 */
export function isRepeatable(method: DescMethod): boolean {
  return method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

/** Returns whether a call of the method changes nothing, which the idempotency level in its proto specifies. */
export function isRead(method: DescMethod): boolean {
  return method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

/**
 * Returns the milliseconds to wait after this number of consecutive failures. They double up to `longestMs`. The random
 * factor spreads the clients, so that they do not return to a restarted daemon all at once.
 */
export function backoffMs(failures: number, longestMs = LONGEST_DELAY_MS, random: () => number = Math.random): number {
  return Math.min(longestMs, FIRST_DELAY_MS * 2 ** (failures - 1)) * (0.5 + random() / 2);
}

/** The attempts of one call. `patienceMs` is the time within which the last of them must begin. */
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

  /** Returns the milliseconds to wait before the next attempt, or undefined if there is none. */
  delayAfter(error: MemorydError): number | undefined {
    this.#failures += 1;
    const delay = error.retryDelayMs ?? backoffMs(this.#failures);
    const patient = this.clock() + delay < this.#patientUntil;
    return this.repeatable && mayPass(error) && patient ? delay : undefined;
  }
}

/**
 * Retries calls that failed because the daemon was unavailable, within their timeout.
 *
 * A daemon that has responded once probably restarts. One that never has may not exist, and is retried for
 * `connectTimeoutMs` only.
 */
export function retryInterceptor(
  { target, connectTimeoutMs }: { readonly target: string; readonly connectTimeoutMs: number },
  closed: AbortSignal,
  header: TimeoutHeader,
): Interceptor {
  let heard = false;
  return (next) => async (req) => {
    const timeoutMs = parseInt(req.header.get(header.name) ?? "", 10) || Infinity;
    const deadline = performance.now() + timeoutMs;
    const attempts = new Attempts(isRepeatable(req.method), heard ? timeoutMs : Math.min(timeoutMs, connectTimeoutMs));
    const last = req.contextValues.get(lastAttempt);
    for (;;) {
      try {
        const response = await next(req);
        heard = true;
        return response;
      } catch (thrown) {
        if (req.signal.aborted || closed.aborted || last?.aborted) {
          throw thrown;
        }
        const error = errorFrom(thrown, target);
        heard ||= error.reason !== "";
        const delay = attempts.delayAfter(error);
        if (delay === undefined) {
          throw thrown;
        }
        await wait(delay, req.signal, closed, last);
        if (last?.aborted) {
          throw thrown;
        }
        if (Number.isFinite(deadline)) {
          // The daemon, too, needs the time that is left: a call may wait there until its deadline.
          const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
          req.header.set(header.name, `${leftMs}${header.unit}`);
        }
      }
    }
  };
}
