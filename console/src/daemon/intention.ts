/** Changes of what agents remember. */

import { call, CallError, type ChangingMethod } from "./call";

export interface Change {
  method: ChangingMethod;
  request: object;
}

/** Something that somebody wants to be changed. It is carried out once, however often it is sent. */
export class Intention {
  private sent = "";
  private requestId = "";

  /**
   * Carry out a change, and return the response. The same change again has the same request id, so that the daemon
   * answers a repetition after a lost response with the first result. Throws CallError.
   */
  async carryOut<Response>({ method, request }: Change): Promise<Response> {
    const change = JSON.stringify([method, request]);
    if (change !== this.sent) {
      this.sent = change;
      this.requestId = newRequestId();
    }
    return call<Response>(method, { ...request, requestId: this.requestId });
  }
}

/** Return true if a change was refused since the record is not as it was when it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof CallError && (error.code === "aborted" || error.code === "not_found");
}

function newRequestId(): string {
  // Not crypto.randomUUID: a page over plain HTTP of another machine does not have it.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
