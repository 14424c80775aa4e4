/**
 * The client of memoryd, the memory daemon for AI agents.
 *
 * The generated messages, enums and services are in `memoryd/v1`.
 */
export * from "./exports.js";
export { connect, type ConnectOptions } from "./connect.js";
export type { TlsOptions } from "./target.js";
