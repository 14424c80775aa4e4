import { settingsOf, type ClientOptions } from "./client-options.js";
import { Client } from "./client.js";
import { NodeLink } from "./node-link.js";
import { addressOf, checkSecrecy, targetOf, tlsMaterialOf, tokenOf, type TlsOptions } from "./target.js";
import { MemorydTransport } from "./transport.js";
import { VERSION } from "./version.js";

/** The options of {@link connect}. Times are in milliseconds. */
export interface ConnectOptions extends ClientOptions {
  /** `HOST:PORT` or `unix:/path`. Default: `MEMORYD_ADDRESS`, else `127.0.0.1:7600`. */
  readonly target?: string | undefined;
  /** The bearer token. Default: `MEMORYD_TOKEN`, else none. */
  readonly token?: string | undefined;
  /** True for TLS that trusts the machine's certificates, or the options of TLS. Default: no TLS. */
  readonly tls?: TlsOptions | boolean | undefined;
  /** If true, the token may be sent to another machine without TLS. Default: false. */
  readonly insecureToken?: boolean | undefined;
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
  const headers = {
    // The daemon refuses versions with which it does not work.
    "user-agent": `memoryd-typescript/${VERSION}`,
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const settings = settingsOf(target, headers, options);
  return new Client(new MemorydTransport(settings, new NodeLink(address, tls, settings.connectTimeoutMs)));
}
