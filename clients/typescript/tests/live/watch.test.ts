import assert from "node:assert/strict";
import { Cancelled, InvalidResumeToken, type Watch } from "memoryd";
import { EventType, PayloadMode, WatchPhase, type Event } from "memoryd/v1";
import { live } from "./daemon.js";

async function take(watch: Watch, count: number): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of watch) {
    if (events.push(event) === count) {
      break;
    }
  }
  return events;
}

live("a watch misses no commit after its beginning", async (agent) => {
  await using watch = await agent.watch();
  await agent.set("a", 1);
  await agent.remove("a");
  const events = await take(watch, 2);
  assert.deepEqual(
    events.map(({ revision, type, key }) => [revision, type, key]),
    [
      [1n, EventType.ENTRY_SET, "a"],
      [2n, EventType.ENTRY_REMOVED, "a"],
    ],
  );
  assert.equal(events[0]?.entry?.valueJson, "1");
});

live("a watch continues from the resume token of another", async (agent) => {
  const first = await agent.watch();
  await agent.set("a", 1);
  await take(first, 1);
  await agent.set("b", 2);
  await using second = await agent.watch({ resumeToken: first.resumeToken });
  assert.deepEqual(
    (await take(second, 1)).map(({ key }) => key),
    ["b"],
  );
});

live("a watch begins after a revision, or with the existing state", async (agent) => {
  await agent.set("a", 1);
  await agent.set("b", 2);
  await using after = await agent.watch({ afterRevision: 1 });
  assert.equal((await take(after, 1))[0]?.key, "b");
  await using initial = await agent.watch({ initialState: true });
  assert.equal(initial.initialStateComplete, false);
  const phases: unknown[] = [];
  for await (const { phase } of initial.messages()) {
    phases.push(phase);
    if (phase === WatchPhase.INITIAL_STATE_COMPLETE) {
      break;
    }
  }
  assert.deepEqual(phases, [WatchPhase.OPENED, WatchPhase.INITIAL_STATE, WatchPhase.INITIAL_STATE_COMPLETE]);
  assert.equal(initial.initialStateComplete, true);
  assert.equal(initial.revision, 2n);
});

live("a watch emits only the selected keys, types and payload", async (agent) => {
  await using watch = await agent.watch({
    keyPrefix: "a",
    eventTypes: [EventType.ENTRY_SET],
    payloadMode: PayloadMode.METADATA_ONLY,
  });
  await agent.batch().set("a1", 1).set("b1", 1).commit();
  await agent.remove("a1");
  await agent.set("a2", 2);
  const events = await take(watch, 2);
  assert.deepEqual(
    events.map(({ key, entry }) => [key, entry?.valueJson]),
    [
      ["a1", ""],
      ["a2", ""],
    ],
  );
});

live("the watch of a scope includes scopes below", async (agent) => {
  await using scope = await agent.scope("task");
  await using watch = await scope.watch();
  await agent.set("root", 1);
  await using inner = await scope.scope("inner");
  await inner.set("inner", 2);
  const events = await take(watch, 2);
  assert.deepEqual(
    events.map(({ type, scopeName }) => [type, scopeName]),
    [
      [EventType.SCOPE_CREATED, "inner"],
      [EventType.ENTRY_SET, "inner"],
    ],
  );
});

live("a client watches many agents", async (agent, client) => {
  const other = client.agent(`${agent.agentId}-other`);
  await using watch = await client.watch([{ agentIds: [agent.agentId, other.agentId] }]);
  await agent.set("a", 1);
  await other.set("b", 2);
  const events = await take(watch, 2);
  assert.deepEqual(events.map(({ agentId }) => agentId).sort(), [agent.agentId, other.agentId]);
});

live("closing a watch ends its iteration without an error", async (agent) => {
  const watch = await agent.watch();
  const listening = take(watch, 1);
  watch.close();
  assert.deepEqual(await listening, []);
  watch.close();
});

live("a signal ends a watch with an error", async (agent) => {
  const abort = new AbortController();
  await using watch = await agent.watch({ signal: abort.signal });
  const listening = assert.rejects(take(watch, 1), Cancelled);
  abort.abort();
  await listening;
  await assert.rejects(agent.watch({ signal: abort.signal }), Cancelled);
});

live("closing the client ends its watches with an error", async (agent, client) => {
  const listening = assert.rejects(take(await agent.watch(), 1), Cancelled);
  client.close();
  await listening;
});

live("a refused watch fails at its beginning", async (agent) => {
  await assert.rejects(agent.watch({ resumeToken: "damaged" }), InvalidResumeToken);
  await assert.rejects(agent.watch({ afterRevision: 1, initialState: true }), TypeError);
});
