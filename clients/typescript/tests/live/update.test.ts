import assert from "node:assert/strict";
import { Cancelled, connect, DeadlineExceeded, ReservationLost, UnsupportedValue } from "memoryd";
import { EntryType, ReserveOutcome, WorkingMemoryService } from "memoryd/v1";
import { live } from "./daemon.js";

const increment = (visits = 0): number => visits + 1;

live("no concurrent update is lost", async (agent) => {
  using other = connect();
  const others = other.agent(agent.agentId);
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? agent : others).update("visits", increment)),
  );
  assert.equal(await agent.get("visits"), 40);
});

live("an update in a scope ignores the parent's value", async (agent) => {
  await agent.set("visits", 5);
  await using scope = await agent.scope("task");
  assert.equal(await scope.update("visits", increment), 1);
  assert.equal(await agent.get("visits"), 5);
});

live("an update keeps what its options do not give", async (agent) => {
  const about = { tags: ["a"], importance: 0.9, metadata: { s: 1 }, userId: "ann", typeName: "Visits" };
  await agent.set("visits", 5, { ...about, entryType: EntryType.INSIGHT, ttlMs: 3_600_000 });
  const before = await agent.getEntry("visits");
  assert.equal(await agent.update("visits", increment), 6);
  const after = await agent.getEntry("visits");
  assert.ok(after?.expireTime);
  for (const name of ["expireTime", "tags", "importance", "metadata", "userId", "typeName", "type"] as const) {
    assert.deepEqual(after[name], before?.[name], name);
  }
  await agent.update("visits", increment, { tags: [], importance: 0, expireTime: null });
  const cleared = await agent.getEntry("visits");
  assert.deepEqual([cleared?.tags, cleared?.importance, cleared?.expireTime], [[], 0, undefined]);
  assert.equal(cleared?.userId, "ann");
});

live("an error of an update's function is thrown, and nothing is changed", async (agent) => {
  const failure = new Error("no");
  await assert.rejects(
    agent.update("visits", () => {
      throw failure;
    }),
    failure,
  );
  assert.equal(await agent.contains("visits"), false);
});

live("one factory runs for all callers", async (agent) => {
  using other = connect();
  const others = other.agent(agent.agentId);
  let made = 0;
  const values = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? agent : others).getOrSet("summary", async () => {
        made += 1;
        return Promise.resolve({ by: index });
      }),
    ),
  );
  assert.equal(made, 1);
  assert.equal(new Set(values.map((value) => JSON.stringify(value))).size, 1);
});

live("a factory may take longer than its lease", async (agent, client) => {
  const stub = client.stub(WorkingMemoryService);
  let outcome: ReserveOutcome | undefined;
  const value = await agent.getOrSet(
    "slow",
    async () => {
      // Another caller waits for longer than the lease, and does not acquire it.
      const waitDuration = { seconds: 1n };
      ({ outcome } = await stub.reserveEntry({ agentId: agent.agentId, key: "slow", waitDuration }));
      return "made";
    },
    { leaseMs: 300 },
  );
  assert.equal(value, "made");
  assert.equal(outcome, ReserveOutcome.HELD);
});

live("an entry that a factory made has its options", async (agent) => {
  await agent.getOrSet("key", () => 1, { userId: "ann", tags: ["made"] });
  const entry = await agent.getEntry("key");
  assert.deepEqual([entry?.userId, entry?.tags], ["ann", ["made"]]);
});

live("after a failed factory the next caller takes over at once", async (agent) => {
  const failure = new Error("no");
  await assert.rejects(
    agent.getOrSet("key", () => Promise.reject(failure)),
    failure,
  );
  assert.equal(await agent.getOrSet("key", () => "made", { waitMs: 0 }), "made");
});

live("a ReservationLost that the factory throws is an error of the factory", async (agent) => {
  const failure = new ReservationLost("of another key");
  await assert.rejects(
    agent.getOrSet("key", () => Promise.reject(failure)),
    failure,
  );
});

live("a factory with an unsupported value releases its reservation", async (agent) => {
  await assert.rejects(
    agent.getOrSet("key", () => NaN),
    UnsupportedValue,
  );
  assert.equal(await agent.getOrSet("key", () => 1, { waitMs: 0 }), 1);
});

live("after a lost reservation the same value is stored", async (agent, client) => {
  const stub = client.stub(WorkingMemoryService);
  const place = { agentId: agent.agentId, key: "key" };
  let made = 0;
  const value = await agent.getOrSet(
    "key",
    async () => {
      made += 1;
      // Setting and removing the key ends the reservation that others hold.
      await stub.setEntry({ ...place, content: { case: "valueJson", value: '"other"' } });
      await stub.removeEntry(place);
      return "mine";
    },
    { leaseMs: 600_000 },
  );
  assert.equal(made, 1);
  assert.equal(value, "mine");
  assert.equal(await agent.get("key"), "mine");
});

live("a caller waits for another's value no longer than waitMs", async (agent, client) => {
  const stub = client.stub(WorkingMemoryService);
  const { reservationToken } = await stub.reserveEntry({ agentId: agent.agentId, key: "key" });
  assert.notEqual(reservationToken, "");
  await assert.rejects(
    agent.getOrSet("key", () => 1, { waitMs: 150 }),
    DeadlineExceeded,
  );
  await assert.rejects(
    agent.getOrSet("key", () => 1, { signal: AbortSignal.timeout(150) }),
    Cancelled,
  );
});

live("a signal ends the wait for the factory, and releases the reservation", async (agent) => {
  const abort = new AbortController();
  const forever = (): Promise<number> => {
    abort.abort(new Error("enough"));
    return new Promise(() => undefined);
  };
  await assert.rejects(agent.getOrSet("key", forever, { signal: abort.signal }), Cancelled);
  assert.equal(await agent.getOrSet("key", () => 2, { waitMs: 0 }), 2);
});
