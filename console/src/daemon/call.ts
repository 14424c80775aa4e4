/** Calls of the daemon that serves this page, by JSON. */

import { token } from "./token";

/** A call that failed: by the daemon, or because it cannot be reached. */
export class CallError extends Error {
  /**
   * @param code The name of a gRPC code, such as `not_found`; `unavailable` if there is no response.
   * @param message The daemon's words.
   */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The methods that the screens call, by service: those that only read. */
export type Method = `${string}Service/${"Get" | "List" | "BatchGet" | "Watch" | "Recall" | "Compose"}${string}`;

/** The methods that change something, by service. They are called by an `Intention`, once somebody has confirmed it. */
export type ChangingMethod =
  `${string}Service/${"Set" | "Update" | "Remove" | "Delete" | "Forget" | "Purge" | "End" | "Create" | "Restore" | "Accept" | "Reject"}${string}`;

/** Return the response to a request. Throws CallError. */
export async function call<Response>(
  method: Method | ChangingMethod,
  request: object,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await post(method, request, "application/json", {}, signal);
  return (await response.json()) as Response;
}

/** Return the response of HTTP's. Throws CallError if it is none of success. */
export async function post(
  method: Method | ChangingMethod,
  request: object,
  accept: string,
  more: Record<string, string>,
  signal?: AbortSignal,
): Promise<globalThis.Response> {
  const headers: Record<string, string> = { accept, "content-type": "application/json", ...more };
  if (token()) headers.authorization = `Bearer ${token()}`;
  let response;
  try {
    const body = JSON.stringify(request);
    response = await fetch(`/memoryd.v1.${method}`, { method: "POST", headers, body, signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError("unavailable", "the daemon does not respond");
  }
  if (response.ok) return response;
  throw await errorOf(response);
}

async function errorOf(response: globalThis.Response): Promise<CallError> {
  const text = await response.text();
  try {
    const { code, message } = JSON.parse(text) as { code: string; message: string };
    return new CallError(code, message);
  } catch {
    return new CallError("unknown", text || `HTTP status ${response.status}`);
  }
}

/** Return an error in words for people. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
