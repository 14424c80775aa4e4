import type { Batching } from "./batching/batcher.js";
import type { Settings } from "./transport.js";

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;

/** The options of a client that are the same wherever it runs. Times are in milliseconds. */
export interface ClientOptions {
  /** A name for this writer, which its events carry. */
  readonly origin?: string | undefined;
  /** The timeout of a call with all its retries. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Limit of the retries while no call has reached the daemon yet. Default: 5,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Sends gets, sets and removes of working memory that are called in one turn of the event loop, or within a window of
   * time, together, with the results and the errors that each would have by itself. Default: false.
   */
  readonly batching?: boolean | Batching | undefined;
}

/** Returns the settings of a client whose calls have these headers. */
export function settingsOf(
  target: string,
  headers: Readonly<Record<string, string>>,
  options: ClientOptions,
): Settings {
  const { origin, batching = false } = options;
  return {
    target,
    headers: { ...headers, ...(origin && { "memoryd-origin": origin }) },
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    batching: batching === true ? {} : batching || undefined,
  };
}
