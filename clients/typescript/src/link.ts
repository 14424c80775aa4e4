import type { Interceptor, Transport } from "@connectrpc/connect";
import type { TimeoutHeader } from "./retry.js";

/** A connection to the daemon from where the client runs: all that differs between Node.js and web pages. */
export interface Link {
  /** The header by which a request names its timeout. */
  readonly timeoutHeader: TimeoutHeader;
  /** Whether a call can have a stream of requests. */
  readonly sendsStreams: boolean;
  /** Whether it notices by itself that the daemon is gone without a word, as when the network was lost. */
  readonly noticesSilence: boolean;

  /** Returns Connect's transport over the connection, whose calls pass these interceptors. */
  transport(interceptors: Interceptor[]): Transport;

  /** Lets any number of calls listen to these signals. */
  share(...signals: AbortSignal[]): void;

  /** Runs a function once this turn of the event loop is over. */
  afterTurn(run: () => void): void;

  /** Closes the connection for good. */
  close(): void;
}
