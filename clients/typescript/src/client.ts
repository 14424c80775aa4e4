import type { DescService, MessageInitShape } from "@bufbuild/protobuf";
import type { Client as Stub, Transport } from "@connectrpc/connect";
import type { EventFilterSchema } from "#protos/memoryd/v1/event_pb";
import { Agent } from "./agent.js";
import { addressOf, targetOf, tlsMaterialOf, tokenOf, type TlsOptions } from "./target.js";
import { MemorydTransport } from "./transport.js";
import { Watch, type WatchOptions } from "./watch.js";

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;

/** Where the daemon is, and how to speak to it. Times are in milliseconds. */
export interface ConnectOptions {
  /** `HOST:PORT` or `unix:/path`; `MEMORYD_ADDRESS`, else `127.0.0.1:7600` when left out. */
  readonly target?: string | undefined;
  /** The bearer token; `MEMORYD_TOKEN`, else none when left out. */
  readonly token?: string | undefined;
  /** True to speak TLS with the machine's certificates, or more of it. */
  readonly tls?: TlsOptions | boolean | undefined;
  /** A name for this writer, which its events carry. */
  readonly origin?: string | undefined;
  /** How long a call may take with all its attempts; 10,000 when left out. */
  readonly timeoutMs?: number | undefined;
  /** How long a daemon that was never heard from is asked again; 5,000 when left out. */
  readonly connectTimeoutMs?: number | undefined;
}

/**
 * Answers a client of the daemon, which is connected by its first call.
 *
 * @throws InvalidTarget
 */
export function connect(options: ConnectOptions = {}): Client {
  const target = targetOf(options.target);
  const token = tokenOf(options.token);
  return new Client(
    new MemorydTransport({
      target,
      address: addressOf(target),
      tls: tlsMaterialOf(options.tls),
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(options.origin && { "memoryd-origin": options.origin }),
      },
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
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

  /** Connect's transport to the daemon, for what is made for such: with this client's retries and errors. */
  get transport(): Transport {
    return this.#transport;
  }

  /** Returns the agent with this id. It does not call the daemon. */
  agent(agentId: string): Agent {
    return new Agent(this.#transport, agentId, "");
  }

  /**
   * Answers the generated stub of a service, such as those of `memoryd/v1`. Its calls have this client's timeout,
   * retries, request ids and errors; streams have neither timeout nor retries.
   */
  stub<S extends DescService>(service: S): Stub<S> {
    return this.#transport.stub(service);
  }

  /**
   * Watches the events that any of the filters keeps; those of all agents without filters. Once this has resolved, no
   * commit is missed.
   *
   * @throws Unavailable when there is no daemon within the connect timeout.
   */
  async watch(
    filters: readonly MessageInitShape<typeof EventFilterSchema>[] = [],
    options: Omit<WatchOptions, "keyPrefix" | "eventTypes"> = {},
  ): Promise<Watch> {
    return Watch.open(this.#transport, filters, options);
  }

  /** Ends the connection and all calls and watches on it, which reject with `Cancelled`. */
  close(): void {
    this.#transport.close();
  }

  /** Closes the client. */
  [Symbol.dispose](): void {
    this.close();
  }
}
