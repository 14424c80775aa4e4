import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Client } from "../../src/client.js";
import { connect, type ConnectOptions } from "../../src/connect.js";

type Handler = Parameters<typeof http2.createServer>[1];

/** A scripted server in place of the daemon, and a client of it. */
export class FakeDaemon implements AsyncDisposable {
  readonly client: Client;
  readonly #server: http2.Http2Server;
  readonly #sessions = new Set<http2.ServerHttp2Session>();

  private constructor(server: http2.Http2Server, options: ConnectOptions) {
    this.#server = server;
    server.on("session", (session) => this.#sessions.add(session));
    const { port } = server.address() as AddressInfo;
    this.client = connect({ target: `127.0.0.1:${port}`, token: "", ...options });
  }

  /** Serves Connect's routes. */
  static async routes(routes: (router: ConnectRouter) => void, options: ConnectOptions = {}): Promise<FakeDaemon> {
    return FakeDaemon.handler(connectNodeAdapter({ routes }), options);
  }

  /** Serves requests with a handler of Node's HTTP/2. */
  static async handler(handler: Handler, options: ConnectOptions = {}): Promise<FakeDaemon> {
    const server = http2.createServer({}, handler);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new FakeDaemon(server, options);
  }

  /** Breaks all connections. */
  breakConnections(): void {
    for (const session of this.#sessions) {
      session.destroy();
    }
    this.#sessions.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    this.breakConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
