import { test as base } from "vitest";
import type { Agent } from "memoryd";
import { startDaemon, type TestDaemon } from "memoryd/testing";

// The fixtures that README.md shows: one daemon for the file, and an agent for each test that asks for one.
const test = base.extend<{ agent: Agent; daemon: TestDaemon }>({
  daemon: [({}, use) => startDaemon().then((daemon) => use(daemon).finally(() => daemon.stop())), { scope: "file" }],
  agent: ({ daemon }, use) => use(daemon.newAgent()),
});

test("the assistant remembers a mood", async ({ agent, expect }) => {
  await agent.set("mood", "curious");
  expect(await agent.get("mood")).toBe("curious");
});

test("no test finds what another one has left", async ({ agent, expect }) => {
  expect(await agent.get("mood")).toBeUndefined();
});
