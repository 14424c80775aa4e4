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

/** The one HTTP/2 connection of a client. A call that finds it broken opens it anew. */
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
    // These listen before the transport does.
    stream.on("response", dropUnreadableDetails);
    stream.on("trailers", dropUnreadableDetails);
    return stream;
  }

  /** Ends the connection for good, which would else be opened anew by a call that was just about to use it. */
  close(): void {
    this.#closed = true;
    this.abort();
  }
}

/** A timer of the session manager may ping a session that is gone: what that throws would end the process. */
function neverPingWhenDestroyed(session: ClientHttp2Session): void {
  const ping = session.ping.bind(session);
  session.ping = ((callback: Parameters<typeof ping>[1]) => !session.destroyed && ping(callback)) as typeof ping;
}

/** The transport would report details that it cannot read instead of the status code, which tells enough. */
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
    // Where the event loop was held up, the connection may stand, and only has yet to be told so.
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
  // TLS does not know IP addresses as server names; certificates that name them are verified all the same.
  return "host" in address && net.isIP(address.host) === 0 ? { servername: address.host } : {};
}
