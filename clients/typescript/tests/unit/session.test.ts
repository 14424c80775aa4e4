import assert from "node:assert/strict";
import { once } from "node:events";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { Session } from "../../src/session.js";

const PING_INTERVAL_MS = 20_000;

/** Returns a server that never responds, and a session with it. */
async function opened(t: TestContext): Promise<Session> {
  const server = http2.createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const session = new Session(`http://127.0.0.1:${port}`, { host: "127.0.0.1", port }, undefined, 5_000);
  t.after(() => {
    session.close();
    server.close();
  });
  return session;
}

async function requested(session: Session): Promise<http2.ClientHttp2Stream> {
  const stream = await session.request("POST", "/", {}, {});
  stream.on("error", () => undefined);
  return stream;
}

test("a connection that was lost during a call is not pinged later", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const session = await opened(t);
  const lost = await requested(session);
  const closed = once(lost, "close");
  lost.session?.destroy();
  await requested(session);
  await closed;
  assert.doesNotThrow(() => {
    t.mock.timers.tick(PING_INTERVAL_MS);
  });
});
