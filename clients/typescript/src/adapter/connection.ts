import type { Client } from "../client.js";
import { connect } from "../connect.js";

/** A client of an adapter, which is closed with the adapter unless it was given. */
export class Connection {
  readonly client: Client;
  readonly #isOwn: boolean;

  /** `given` is a client, or a target as of `connect`. */
  constructor(given: Client | string | undefined) {
    this.#isOwn = given === undefined || typeof given === "string";
    this.client = given === undefined || typeof given === "string" ? connect({ target: given }) : given;
  }

  close(): void {
    if (this.#isOwn) {
      this.client.close();
    }
  }
}
