import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { InvalidTarget } from "./errors.js";

export const DEFAULT_TARGET = "127.0.0.1:7600";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** The options of TLS. The files are PEM. */
export interface TlsOptions {
  /** The certificates to trust instead of the machine's own. */
  readonly caFile?: string | undefined;
  /** The client's own certificate, for mutual TLS. Requires `keyFile`. */
  readonly certFile?: string | undefined;
  /** The private key of `certFile`. */
  readonly keyFile?: string | undefined;
  /** The name to verify in the daemon's certificate instead of the target's host. */
  readonly serverName?: string | undefined;
}

/** The daemon's address: a TCP port, or a unix socket. */
export type Address = { readonly host: string; readonly port: number } | { readonly path: string };

/** The TLS options of Node.js. */
export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly servername?: string;
}

/** Returns the target, else `MEMORYD_ADDRESS`, else the default. */
export function targetOf(target: string | undefined, environment: NodeJS.ProcessEnv = process.env): string {
  return target || environment.MEMORYD_ADDRESS || DEFAULT_TARGET;
}

/** Returns the token, else `MEMORYD_TOKEN`, else undefined. */
export function tokenOf(token: string | undefined, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return token || environment.MEMORYD_TOKEN || undefined;
}

/**
 * Parses a target.
 *
 * @throws InvalidTarget if it is neither `HOST:PORT` nor `unix:/path`.
 */
export function addressOf(target: string): Address {
  const path = /^unix:(?:\/\/(?=\/))?(.+)$/.exec(target)?.[1];
  if (path !== undefined && path !== "//") {
    return { path };
  }
  // An IPv6 host needs brackets: without them the start of the port is ambiguous.
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]/]+)):(\d{1,5})$/.exec(target) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new InvalidTarget(`the address ${JSON.stringify(target)} is neither HOST:PORT nor unix:/path`);
  }
  return { host, port };
}

/**
 * Checks that a token that is sent to an address without TLS cannot be read on its way.
 *
 * On this machine it cannot. A host name other than localhost may be that of another machine.
 *
 * @throws InvalidTarget if it can.
 */
export function checkSecrecy(target: string, address: Address): void {
  if ("host" in address && !isLoopback(address.host)) {
    throw new InvalidTarget(`the token would be sent to ${target} in the clear: use TLS, or allow it by insecureToken`);
  }
}

function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host.toLowerCase() === "localhost" : LOOPBACK.check(host, family === 4 ? "ipv4" : "ipv6");
}

/**
 * Reads the TLS files. Returns undefined without TLS.
 *
 * @throws InvalidTarget if a file cannot be read.
 */
export function tlsMaterialOf(tls: TlsOptions | boolean | undefined): TlsMaterial | undefined {
  if (!tls) {
    return undefined;
  }
  const { caFile, certFile, keyFile, serverName } = tls === true ? {} : tls;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new InvalidTarget("a client certificate needs both certFile and keyFile");
  }
  return {
    ...(caFile !== undefined && { ca: contentOf(caFile) }),
    ...(certFile !== undefined && { cert: contentOf(certFile) }),
    ...(keyFile !== undefined && { key: contentOf(keyFile) }),
    ...(serverName !== undefined && { servername: serverName }),
  };
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new InvalidTarget(`the TLS file ${JSON.stringify(file)} cannot be read`, { cause });
  }
}
