import { InvalidTarget } from "../errors.js";

/** The address of a page, or of a worker. */
export interface Location {
  readonly origin: string;
}

/**
 * Returns the URL of the daemon: the target, else the origin of the page.
 *
 * @throws InvalidTarget if it is no URL of HTTP.
 */
export function urlOf(target: string | undefined, page: Location | undefined): URL {
  const text = target || page?.origin || "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new InvalidTarget(`the address ${JSON.stringify(text)} is no URL such as https://memory.example.org`);
  }
  return url;
}

/**
 * Checks that a token that is sent to a URL without TLS cannot be read on its way, which it cannot on this machine.
 *
 * @throws InvalidTarget if it can.
 */
export function checkUrlSecrecy({ protocol, hostname, href }: URL): void {
  // The URL has any form of an IPv4 address as four numbers.
  const isLoopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
  if (protocol !== "https:" && !isLoopback) {
    throw new InvalidTarget(`the token would be sent to ${href} in the clear: use https, or allow it by insecureToken`);
  }
}
