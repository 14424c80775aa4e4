import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { connect, TooLarge, Unavailable, type Client } from "memoryd";
import { DaemonFailed, startDaemon } from "memoryd/testing";
import { AgentService } from "memoryd/v1";

const command = process.env.MEMORYD_TEST_COMMAND || "memoryd";
const isMissing = spawnSync(command, ["--version"]).status !== 0 && process.env.CI !== "true";
const options = { skip: isMissing && "there is no memoryd in PATH, and MEMORYD_TEST_COMMAND is not set" };

/** Runs a function with a variable of the environment. */
async function withVariable(name: string, value: string, body: () => Promise<void>): Promise<void> {
  const before = process.env[name];
  process.env[name] = value;
  try {
    await body();
  } finally {
    if (before === undefined) {
      Reflect.deleteProperty(process.env, name);
    } else {
      process.env[name] = before;
    }
  }
}

const agentCount = async (client: Client): Promise<number> =>
  (await client.stub(AgentService).listAgents({})).agents.length;

test("each agent is of its own, and the daemon takes no settings from the environment", options, async () => {
  await withVariable("MEMORYD_LIMIT_ENTRY_BYTES", "1", async () => {
    await using daemon = await startDaemon("--embedder", "none");
    const [first, second] = [daemon.newAgent(), daemon.newAgent()];
    await first.set("mood", "curious");
    assert.equal(await first.get("mood"), "curious");
    assert.equal(await second.get("mood"), undefined);
  });
});

test("a daemon is given further flags", options, async () => {
  await using daemon = await startDaemon("--embedder", "none", "--limit-entry-bytes", "100");
  await assert.rejects(daemon.newAgent().set("k", "x".repeat(200)), TooLarge);
});

test("a daemon that is stopped serves no more", options, async () => {
  const daemon = await startDaemon("--embedder", "none");
  await daemon.stop();
  await daemon.stop();
  using client = connect({ target: daemon.address, connectTimeoutMs: 100 });
  await assert.rejects(client.agent("a").set("k", 1), Unavailable);
});

test("agents are erased from a daemon of others", options, async () => {
  await using owned = await startDaemon("--embedder", "none");
  const client = owned.newClient();
  await withVariable("MEMORYD_TEST_ADDRESS", owned.address, async () => {
    await using shared = await startDaemon();
    await shared.newAgent().set("k", 1);
    assert.equal(await agentCount(client), 1);
  });
  assert.equal(await agentCount(client), 0);
});

test("a daemon that does not start is explained by its log", options, async () => {
  await assert.rejects(startDaemon("--no-such-flag"), { name: "DaemonFailed", message: /no-such-flag/ });
});

test("a command that is missing is explained", async () => {
  await withVariable("MEMORYD_TEST_COMMAND", "/nowhere/memoryd", async () => {
    await assert.rejects(startDaemon(), (error) => {
      assert.ok(error instanceof DaemonFailed);
      assert.match(error.message, /set MEMORYD_TEST_COMMAND/);
      return true;
    });
  });
});
