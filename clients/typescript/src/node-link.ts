import { setMaxListeners } from "node:events";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Link } from "./link.js";
import { GRPC_TIMEOUT } from "./retry.js";
import { Session } from "./session.js";
import type { Address, TlsMaterial } from "./target.js";

const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

/** One HTTP/2 connection for gRPC. */
export class NodeLink implements Link {
  readonly timeoutHeader = GRPC_TIMEOUT;
  readonly sendsStreams = true;
  readonly noticesSilence = true;
  readonly #baseUrl: string;
  readonly #session: Session;

  constructor(address: Address, tls: TlsMaterial | undefined, connectTimeoutMs: number) {
    // The URL needs a host, also over a unix socket.
    const authority = "host" in address ? urlHost(address.host, address.port) : "localhost";
    this.#baseUrl = `${tls ? "https" : "http"}://${authority}`;
    this.#session = new Session(this.#baseUrl, address, tls, connectTimeoutMs);
  }

  transport(interceptors: Interceptor[]): Transport {
    return createGrpcTransport({
      baseUrl: this.#baseUrl,
      sessionManager: this.#session,
      interceptors,
      readMaxBytes: MESSAGE_BYTES_MAX,
      writeMaxBytes: MESSAGE_BYTES_MAX,
    });
  }

  share(...signals: AbortSignal[]): void {
    // Many listeners are not a leak.
    setMaxListeners(0, ...signals);
  }

  afterTurn(run: () => void): void {
    setImmediate(run);
  }

  close(): void {
    this.#session.close();
  }
}

function urlHost(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
