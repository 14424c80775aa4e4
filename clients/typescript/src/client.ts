import type { DescService, MessageInitShape } from "@bufbuild/protobuf";
import type { Client as Stub, Transport } from "@connectrpc/connect";
import type { EventFilterSchema } from "#protos/memoryd/v1/event_pb";
import { Agent } from "./agent.js";
import type { MemorydTransport } from "./transport.js";
import { Watch, type WatchOptions } from "./watch.js";

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
