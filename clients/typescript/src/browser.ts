/**
 * The client of memoryd for web pages, by `fetch`: that of `memoryd`, with another `connect`.
 *
 * The generated messages, enums and services are in `memoryd/v1`.
 */
export { connect, type ConnectOptions } from "./browser/connect.js";
export type { Token } from "./browser/link.js";
export * from "./exports.js";
