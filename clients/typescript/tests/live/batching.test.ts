import assert from "node:assert/strict";
import type { JsonObject } from "@bufbuild/protobuf";
import { connect, InvalidArgument, type Agent, type Client, type MemorydError, type WorkingMemory } from "memoryd";
import { RecordKind, type EntryType } from "memoryd/v1";
import { live } from "./daemon.js";

const isString = (value: unknown): value is string => typeof value === "string";

/** Defines a test with a client that batches, its agent, and the same agent of a client that does not. */
function batching(name: string, body: (agent: Agent, single: Agent, client: Client) => Promise<void>): void {
  live(name, async (single) => {
    using client = connect({ batching: true });
    await body(client.agent(single.agentId), single, client);
  });
}

/** Returns what calls resolve or reject with, without what differs between any two calls: revisions, ids and times. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
  return (await Promise.allSettled(calls)).map((each) => {
    if (each.status === "rejected") {
      const { name, code, reason, message, fields, metadata } = each.reason as MemorydError;
      return { name, code, reason, message, fields, metadata };
    }
    return plain(each.value);
  });
}

function plain(value: unknown): unknown {
  const varying = new Set([
    "accessCount",
    "lastAccessTime",
    "revision",
    "entryId",
    "createTime",
    "updateTime",
    "seconds",
    "nanos",
  ]);
  const text = JSON.stringify({ value }, (key, member: unknown) => {
    if (varying.has(key)) {
      return typeof member;
    }
    return typeof member === "bigint" ? String(member) : member;
  });
  return JSON.parse(text);
}

/** Writes of all kinds, some of which are refused. */
function writes(agent: Agent, scope: WorkingMemory, gone: WorkingMemory): Promise<unknown>[] {
  const options = { tags: ["t"], metadata: { m: 1 }, typeName: "T", userId: "ann", ttlMs: 3_600_000 };
  const cycle: JsonObject = {};
  cycle.own = cycle;
  return [
    agent.set("k", 1),
    agent.set("k", { a: [1] }, options),
    agent.set("", 1),
    agent.set("large", "v".repeat(2 << 20)),
    agent.set("importance", 1, { importance: 2 }),
    agent.set("entryType", 1, { entryType: "FACT" as unknown as EntryType }),
    agent.set("function", () => 1),
    agent.set("\ud800", 1),
    agent.set("metadata", 1, { metadata: { a: 1n } as unknown as JsonObject }),
    agent.set("cycle", 1, { metadata: cycle }),
    agent.set("tags", 1, { tags: [1] as unknown as string[] }),
    agent.set("k", 3, { mustNotExist: true }),
    agent.set("new", 3, { mustNotExist: true }),
    scope.set("s", 1),
    gone.set("s", 1),
    agent.remove("before"),
    agent.remove("none"),
    agent.remove(""),
    agent.remove("k", { expectedRevision: 1 }),
    agent.set("aborted", 1, { signal: AbortSignal.abort() }),
    agent.update<number>("counter", (value = 0) => value + 1),
  ];
}

/** Reads of all kinds, some of which are refused. */
function reads(agent: Agent, scope: WorkingMemory, gone: WorkingMemory): Promise<unknown>[] {
  return [
    agent.get("k"),
    agent.get("none"),
    agent.get("kept"),
    agent.getEntry("kept"),
    agent.get("kept", { check: isString }),
    agent.get(" "),
    agent.get("\ud800"),
    scope.get("kept"),
    scope.get("kept", { localOnly: true }),
    scope.getEntry("s"),
    gone.get("kept"),
    agent.contains("k"),
    agent.get("k", { minRevision: 1_000_000 }),
    agent.get("k", { signal: AbortSignal.abort() }),
    agent.get("aborted"),
    agent.get("function"),
  ];
}

batching("each call has the result and the error that it has by itself", async (_, { agentId }, client) => {
  using plainClient = connect();
  const results: string[] = [];
  for (const each of [client, plainClient]) {
    const agent = each.agent(`${agentId}-${results.length}`);
    await agent.batch().set("before", 0).set("kept", { a: 1 }).commit();
    const scope = await agent.scope("task");
    const gone = await agent.scope("gone");
    await gone.dispose();
    const found = [await outcomes(writes(agent, scope, gone)), await outcomes(reads(agent, scope, gone))];
    const ids = [agent.agentId, scope.scopeId, gone.scopeId];
    // Between calls that nobody awaits, the numbers of revisions are a matter of chance.
    const text = JSON.stringify(found, null, 1).replaceAll(/(revision |found |revision": ")\d+/g, "$1N");
    results.push(ids.reduce((rest, id, index) => rest.replaceAll(id, `id-${index}`), text));
  }
  assert.deepEqual(results[0]?.split("\n"), results[1]?.split("\n"));
});

batching("writes of one turn have one revision, and reads travel together", async (agent, single) => {
  const written = await Promise.all(Array.from({ length: 64 }, (_, index) => agent.set(`k${index}`, index)));
  assert.deepEqual([new Set(written.map(({ revision }) => revision)).size, written[7]?.entry?.key], [1, "k7"]);
  const read = await Promise.all(Array.from({ length: 64 }, (_, index) => agent.get(`k${index}`)));
  assert.deepEqual(
    read,
    Array.from({ length: 64 }, (_, index) => index),
  );
  assert.equal((await single.getEntry("k7"))?.revision, written[7]?.revision);
});

batching("a read finds the writes that were called before it", async (agent) => {
  const scope = await agent.scope("task");
  for (let turn = 1; turn <= 20; turn++) {
    void agent.set("k", turn);
    const first = scope.get("k");
    void agent.set("k", -turn);
    void agent.remove("other");
    const calls = [first, agent.get("k"), agent.contains("k"), agent.getMany(["k"])];
    assert.deepEqual(await Promise.all(calls), [turn, -turn, true, new Map([["k", -turn]])]);
    void agent.set("k", "cleared");
    await agent.clear();
    assert.equal(await agent.get("k"), undefined);
  }
});

batching("more calls than a batch has are sent as several", async (agent, single) => {
  const numbers = Array.from({ length: 2_500 }, (_, index) => index);
  const large = "v".repeat(400_000);
  await Promise.all(numbers.map((index) => agent.set(`k${index}`, index)));
  assert.deepEqual(await Promise.all(numbers.map((index) => agent.get(`k${index}`))), numbers);
  await Promise.all(numbers.slice(0, 60).map((index) => agent.set(`k${index}`, large)));
  const read = await Promise.all(numbers.slice(0, 60).map((index) => agent.get(`k${index}`)));
  assert.ok(read.every((value) => value === large));
  assert.equal((await single.getMany(["k0", "k2499"])).size, 2);
});

batching("a near cache has each write that was batched", async (agent) => {
  await using cache = await agent.nearCache();
  for (let turn = 0; turn < 20; turn++) {
    await Promise.all(["a", "b", "c"].map((key) => agent.set(key, turn)));
    assert.deepEqual(
      await cache.getMany(["a", "b", "c"]),
      new Map([
        ["a", turn],
        ["b", turn],
        ["c", turn],
      ]),
    );
  }
});

live("within a window of time calls travel together", async (single) => {
  using client = connect({ batching: { windowMs: 20 } });
  const agent = client.agent(single.agentId);
  const first = agent.set("a", 1);
  await new Promise((resolve) => setImmediate(resolve));
  const [one, other] = await Promise.all([first, agent.set("b", 2)]);
  assert.equal(one.revision, other.revision);
  assert.throws(() => connect({ batching: { windowMs: -1 } }), RangeError);
});

batching("a watch reports the writes of a batch as those of one commit", async (agent) => {
  await using watch = await agent.watch({ kinds: [RecordKind.ENTRY] });
  await Promise.all([agent.set("a", 1), agent.set("b", 2), assert.rejects(agent.set("", 3), InvalidArgument)]);
  await Promise.all([agent.set("c", 1), agent.set("d", 2)]);
  const revisions: bigint[] = [];
  for await (const { revision } of watch) {
    if (revisions.push(revision) === 4) {
      break;
    }
  }
  assert.deepEqual(revisions.slice(0, 2).sort(), [1n, 2n], "those of the refused batch were made one by one");
  assert.deepEqual(revisions.slice(2), [3n, 3n]);
});
