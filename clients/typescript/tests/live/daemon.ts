import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { connect, type Agent, type Client } from "memoryd";

if (process.env.CI === "true" && !process.env.MEMORYD_ADDRESS) {
  throw new Error("MEMORYD_ADDRESS must name a daemon for the live tests");
}
const skip = process.env.MEMORYD_ADDRESS ? false : "MEMORYD_ADDRESS names no daemon";

/** Defines a test with the daemon at MEMORYD_ADDRESS and an agent of its own. */
export function live(name: string, body: (agent: Agent, client: Client) => Promise<void>): void {
  test(name, { skip, timeout: 60_000 }, async () => {
    using client = connect();
    await body(client.agent(`test-${randomUUID()}`), client);
  });
}
