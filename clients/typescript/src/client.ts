import type { DescService, MessageInitShape } from "@bufbuild/protobuf";
import type { Client as Stub, Transport } from "@connectrpc/connect";
import type { EventFilterSchema } from "#protos/memoryd/v1/event_pb";
import { Agent } from "./agent.js";
import type { Batching } from "./batching/batcher.js";
import { addressOf, checkSecrecy, targetOf, tlsMaterialOf, tokenOf, type TlsOptions } from "./target.js";
import { MemorydTransport } from "./transport.js";
import { VERSION } from "./version.js";
import { Watch, type WatchOptions } from "./watch.js";

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;

/** The options of {@link connect}. Times are in milliseconds. */
export interface ConnectOptions {
  /** `HOST:PORT` or `unix:/path`. Default: `MEMORYD_ADDRESS`, else `127.0.0.1:7600`. */
  readonly target?: string | undefined;
  /** The bearer token. Default: `MEMORYD_TOKEN`, else none. */
  readonly token?: string | undefined;
  /** True for TLS that trusts the machine's certificates, or the options of TLS. Default: no TLS. */
  readonly tls?: TlsOptions | boolean | undefined;
  /** If true, the token may be sent to another machine without TLS. Default: false. */
  readonly insecureToken?: boolean | undefined;
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

/**
 * Returns a client of the daemon. Its first call connects it.
 *
 * @throws InvalidTarget if the target or the TLS files cannot be used, or if a token would be sent to another machine
 * without TLS, RangeError for a window of batching that is not allowed.
 */
export function connect(options: ConnectOptions = {}): Client {
  const target = targetOf(options.target);
  const token = tokenOf(options.token);
  const address = addressOf(target);
  const tls = tlsMaterialOf(options.tls);
  if (token !== undefined && tls === undefined && !options.insecureToken) {
    checkSecrecy(target, address);
  }
  const { batching = false } = options;
  return new Client(
    new MemorydTransport({
      target,
      address,
      tls,
      headers: {
        // The daemon refuses versions with which it does not work.
        "user-agent": `memoryd-typescript/${VERSION}`,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(options.origin && { "memoryd-origin": options.origin }),
      },
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
      batching: batching === true ? {} : batching || undefined,
    }),
  );
}

/** One connection to one daemon. Close it, or declare it with `using`. */
export class Client implements Disposable {
  readonly #transport: MemorydTransport;

  /** @internal */
  constructor(transport: MemorydTransport) {
    this.#transport = transport;
  }

  /** The daemon's address. */
  get target(): string {
    return this.#transport.settings.target;
  }

  /** The Connect transport to the daemon, with this client's retries and errors, for code that takes a transport. */
  get transport(): Transport {
    return this.#transport;
  }

  /** Returns the agent with this id. Does not call the daemon. */
  agent(agentId: string): Agent {
    return new Agent(this.#transport, agentId, "");
  }

  /**
   * Returns the generated stub of a service of `memoryd/v1`. Its calls have this client's timeout, retries, request ids
   * and errors; streams have neither timeout nor retries.
   */
  stub<S extends DescService>(service: S): Stub<S> {
    return this.#transport.stub(service);
  }

  /**
   * Watches the events that match any of the filters, or all events without filters. No commit after the promise
   * resolves is missed.
   *
   * @throws Unavailable if the daemon cannot be reached within the connect timeout.
   */
  async watch(
    filters: readonly MessageInitShape<typeof EventFilterSchema>[] = [],
    options: WatchOptions = {},
  ): Promise<Watch> {
    return Watch.open(this.#transport, filters, options);
  }

  /** Closes the connection. Its calls and watches, and any later ones, reject with `Cancelled`. */
  close(): void {
    this.#transport.close();
  }

  /** Closes the client. */
  [Symbol.dispose](): void {
    this.close();
  }
}
