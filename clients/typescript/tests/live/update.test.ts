import assert from "node:assert/strict";
import { Cancelled, connect, DeadlineExceeded, ReservationLost, UnsupportedValue } from "memoryd";
import { ReserveOutcome, WorkingMemoryService } from "memoryd/v1";
import { live } from "./daemon.js";

const increment = (visits = 0): number => visits + 1;

live("nobody's update is lost", async (memory) => {
  using other = connect();
  const others = other.agent(memory.agentId);
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? memory : others).update("visits", increment)),
  );
  assert.equal(await memory.get("visits"), 40);
});

live("an update of a scope begins with nothing, whatever its parent has", async (memory) => {
  await memory.set("visits", 5);
  await using scope = await memory.scope("task");
  assert.equal(await scope.update("visits", increment), 1);
  assert.equal(await memory.get("visits"), 5);
});

live("what an update's function throws is thrown, and nothing is changed", async (memory) => {
  const failure = new Error("no");
  await assert.rejects(
    memory.update("visits", () => {
      throw failure;
    }),
    failure,
  );
  assert.equal(await memory.contains("visits"), false);
});

live("a value is made once, for all callers", async (memory) => {
  using other = connect();
  const others = other.agent(memory.agentId);
  let made = 0;
  const values = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? memory : others).getOrSet("summary", async () => {
        made += 1;
        return Promise.resolve({ by: index });
      }),
    ),
  );
  assert.equal(made, 1);
  assert.equal(new Set(values.map((value) => JSON.stringify(value))).size, 1);
});

live("a factory may take longer than its lease", async (memory, client) => {
  const stub = client.stub(WorkingMemoryService);
  let outcome: ReserveOutcome | undefined;
  const value = await memory.getOrSet(
    "slow",
    async () => {
      // Another caller waits for longer than the lease, and does not get it.
      const wait = { seconds: 1n };
      ({ outcome } = await stub.reserveEntry({ agentId: memory.agentId, key: "slow", wait }));
      return "made";
    },
    { leaseMs: 300 },
  );
  assert.equal(value, "made");
  assert.equal(outcome, ReserveOutcome.HELD);
});

live("a factory that fails leaves the making to the next caller, at once", async (memory) => {
  const failure = new Error("no");
  await assert.rejects(
    memory.getOrSet("key", () => Promise.reject(failure)),
    failure,
  );
  assert.equal(await memory.getOrSet("key", () => "made", { waitMs: 0 }), "made");
});

live("a factory's error that looks like a lost reservation is the factory's", async (memory) => {
  const failure = new ReservationLost("of another key");
  await assert.rejects(
    memory.getOrSet("key", () => Promise.reject(failure)),
    failure,
  );
});

live("a factory that makes what JSON cannot hold gives its reservation up", async (memory) => {
  await assert.rejects(
    memory.getOrSet("key", () => NaN),
    UnsupportedValue,
  );
  assert.equal(await memory.getOrSet("key", () => 1, { waitMs: 0 }), 1);
});

live("a value whose reservation was lost is offered again, not made again", async (memory, client) => {
  const stub = client.stub(WorkingMemoryService);
  const place = { agentId: memory.agentId, key: "key" };
  let made = 0;
  const value = await memory.getOrSet(
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
  assert.equal(await memory.get("key"), "mine");
});

live("a caller waits for another's value no longer than it is willing to", async (memory, client) => {
  const stub = client.stub(WorkingMemoryService);
  const { reservationToken } = await stub.reserveEntry({ agentId: memory.agentId, key: "key" });
  assert.notEqual(reservationToken, "");
  await assert.rejects(
    memory.getOrSet("key", () => 1, { waitMs: 150 }),
    DeadlineExceeded,
  );
  await assert.rejects(
    memory.getOrSet("key", () => 1, { signal: AbortSignal.timeout(150) }),
    Cancelled,
  );
});

live("a signal ends the wait for one's own factory, and gives the reservation up", async (memory) => {
  const abort = new AbortController();
  const forever = (): Promise<number> => {
    abort.abort(new Error("enough"));
    return new Promise(() => undefined);
  };
  await assert.rejects(memory.getOrSet("key", forever, { signal: abort.signal }), Cancelled);
  assert.equal(await memory.getOrSet("key", () => 2, { waitMs: 0 }), 2);
});
