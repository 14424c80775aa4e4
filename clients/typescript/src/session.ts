import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import * as net from "node:net";
import * as tls from "node:tls";
import { Code, ConnectError, decodeBinaryHeader } from "@connectrpc/connect";
import { Http2SessionManager } from "@connectrpc/connect-node";
import { StatusSchema } from "#protos/google/rpc/status_pb";
import type { Address, TlsMaterial } from "./target.js";

const PING_INTERVAL_MS = 20_000;
const PING_TIMEOUT_MS = 10_000;
const DETAILS_HEADER = "grpc-status-details-bin";

/** The one HTTP/2 connection of a client. A call that finds it broken opens it again. */
export class Session extends Http2SessionManager {
  #closed = false;
  #guarded: ClientHttp2Session | undefined;

  constructor(url: string, address: Address, material: TlsMaterial | undefined, connectTimeoutMs: number) {
    super(
      url,
      { pingIntervalMs: PING_INTERVAL_MS, pingTimeoutMs: PING_TIMEOUT_MS, pingIdleConnection: true },
      { createConnection: () => openSocket(address, material, connectTimeoutMs) },
    );
  }

  override async request(...request: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream> {
    if (this.#closed) {
      throw new ConnectError("the session is closed", Code.Canceled);
    }
    const stream = await super.request(...request);
    if (stream.session && stream.session !== this.#guarded) {
      this.#guarded = stream.session as ClientHttp2Session;
      neverPingWhenDestroyed(this.#guarded);
    }
    // Registered here, the listeners run before those of the transport.
    stream.on("response", dropUnreadableDetails);
    stream.on("trailers", dropUnreadableDetails);
    return stream;
  }

  /** Closes the connection for good: a call that is about to use it must not open it again. */
  close(): void {
    this.#closed = true;
    this.abort();
  }
}

/**
 * Makes `ping` do nothing on a destroyed session: a timer of the session manager may still ping it, and what that
 * throws would end the process.
 */
function neverPingWhenDestroyed(session: ClientHttp2Session): void {
  const ping = session.ping.bind(session);
  session.ping = ((callback: Parameters<typeof ping>[1]) => !session.destroyed && ping(callback)) as typeof ping;
}

/** Deletes error details that cannot be decoded: the transport would report that instead of the status code. */
export function dropUnreadableDetails(headers: IncomingHttpHeaders): void {
  const details = headers[DETAILS_HEADER];
  if (details === undefined) {
    return;
  }
  try {
    if (decodeBinaryHeader(String(details), StatusSchema).code === Number(headers["grpc-status"])) {
      return;
    }
  } catch {
    // Dropped below.
  }
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the transport reads this very object next
  delete headers[DETAILS_HEADER];
}

function openSocket(address: Address, material: TlsMaterial | undefined, connectTimeoutMs: number): net.Socket {
  const socket = material
    ? tls.connect({ ...address, ...serverNameOf(address), ...material, ALPNProtocols: ["h2"] })
    : net.connect(address);
  socket.setNoDelay();
  limitConnecting(socket, material ? "secureConnect" : "connect", connectTimeoutMs);
  return socket;
}

function limitConnecting(socket: net.Socket, connected: string, connectTimeoutMs: number): void {
  let over: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // If the event loop was blocked, the connection may be established already: let its event come first.
    over = setImmediate(() => {
      const timedOut = new Error(`no connection within ${connectTimeoutMs} ms`);
      socket.destroy(Object.assign(timedOut, { code: "ETIMEDOUT" }));
    });
  }, connectTimeoutMs);
  for (const end of [connected, "close"]) {
    socket.once(end, () => {
      clearTimeout(timer);
      clearImmediate(over);
    });
  }
}

function serverNameOf(address: Address): { servername?: string } {
  // An IP address is not allowed as a TLS server name. Certificates with IP addresses are verified anyway.
  return "host" in address && net.isIP(address.host) === 0 ? { servername: address.host } : {};
}
