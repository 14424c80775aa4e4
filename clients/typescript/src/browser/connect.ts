import { settingsOf, type ClientOptions } from "../client-options.js";
import { Client } from "../client.js";
import { MemorydTransport } from "../transport.js";
import { FetchLink, type Token } from "./link.js";
import { checkUrlSecrecy, urlOf, type Location } from "./target.js";

/** The options of {@link connect}. Times are in milliseconds. */
export interface ConnectOptions extends ClientOptions {
  /** The URL of the daemon, such as `https://memory.example.org`. Default: the origin of the page. */
  readonly target?: string | undefined;
  /** The bearer token, or a function that returns it, which is called for each attempt of a call. Default: none. */
  readonly token?: Token | undefined;
  /** If true, the token may be sent to another machine without TLS. Default: false. */
  readonly insecureToken?: boolean | undefined;
}

/**
 * Returns a client of the daemon for a web page or a worker of it. The daemon must allow the page's origin, unless it
 * serves the page: `memoryd serve --http-origin`.
 *
 * @throws InvalidTarget if the target cannot be used, or if a token would be sent to another machine without TLS,
 * RangeError for a window of batching that is not allowed.
 */
export function connect(options: ConnectOptions = {}): Client {
  const { token } = options;
  const url = urlOf(options.target, (globalThis as { readonly location?: Location }).location);
  if (token && !options.insecureToken) {
    checkUrlSecrecy(url);
  }
  const target = url.href.replace(/\/$/, "");
  return new Client(new MemorydTransport(settingsOf(target, {}, options), new FetchLink(target, token || undefined)));
}
