import assert from "node:assert/strict";
import {
  CacheFull,
  connect,
  RecordNotFound,
  ScopeDisposed,
  StaleRead,
  Unavailable,
  WrongType,
  type NearCacheOptions,
} from "memoryd";
import { live } from "./daemon.js";
import { until } from "./until.js";

const isString = (value: unknown): value is string => typeof value === "string";

live("reads are those of the daemon, and have each write of the client", async (agent) => {
  await agent.set("before", { a: [1] });
  await using cache = await agent.nearCache();
  assert.deepEqual(cache.peek("before"), { a: [1] });
  await agent.set("k", 1, { tags: ["t"], metadata: { a: { b: 1 } } });
  assert.deepEqual([cache.peek("k"), await cache.get("k"), cache.peek("none")], [1, 1, undefined]);
  assert.deepEqual([await cache.contains("k"), await cache.contains("none")], [true, false]);
  assert.deepEqual(cache.peekEntry("k"), await cache.getEntry("k"));
  const stored = await agent.getEntry("k");
  assert.deepEqual(
    { ...stored, accessCount: 0n, lastAccessTime: undefined },
    { ...cache.peekEntry("k"), lastAccessTime: undefined },
  );
  const tx = agent.transaction();
  tx.set("k", 2);
  tx.add("createNote", { draft: { noteId: "n", title: "Title", content: "Text" } });
  await tx.commit();
  assert.deepEqual(
    await cache.getMany(["k", "before", "none"]),
    new Map<string, unknown>([
      ["k", 2],
      ["before", { a: [1] }],
    ]),
  );
  assert.deepEqual(await cache.note("n"), await agent.notes.get("n"));
  assert.deepEqual(
    (await cache.notes()).map(({ noteId }) => noteId),
    ["n"],
  );
  assert.throws(() => cache.peek("k", { check: isString }), WrongType);
  await assert.rejects(cache.get("k", { check: isString }), WrongType);
  await agent.remove("k");
  assert.deepEqual([cache.peek("k"), await cache.keys()], [undefined, ["before"]]);
  await agent.clear();
  await agent.notes.delete("n");
  assert.deepEqual([await cache.entries(), await cache.notes(), await cache.note("n")], [[], [], undefined]);
  assert.equal((await agent.set("last", 1)).revision, cache.revision);
});

live("what is read belongs to its reader", async (agent) => {
  await agent.set("k", [1], { metadata: { a: { b: 1 } } });
  await agent.notes.create("Title", "Text", { noteId: "n", tags: ["t"] });
  await using cache = await agent.nearCache();
  cache.peek<number[]>("k")?.push(2);
  const entry = cache.peekEntry("k");
  (entry?.metadata?.a as { b: number }).b = 2;
  (await cache.note("n"))?.tags.push("u");
  assert.deepEqual([cache.peek("k"), cache.peekEntry("k")?.metadata], [[1], { a: { b: 1 } }]);
  assert.deepEqual((await cache.note("n"))?.tags, ["t"]);
});

live("a scope falls back to its parents", async (agent) => {
  await agent.set("root", 0);
  await using cache = await agent.nearCache();
  const scope = await agent.scope("task");
  const step = await scope.scope("step");
  await scope.set("task", 1);
  await step.set("step", 2);
  const near = cache.attach(step.scopeId);
  assert.deepEqual(
    await near.getMany(["root", "task", "step"]),
    new Map([
      ["root", 0],
      ["task", 1],
      ["step", 2],
    ]),
  );
  assert.equal(near.peek("root", { localOnly: true }), undefined);
  assert.deepEqual([await near.keys(), await near.keys({ inherited: true })], [["step"], ["root", "step", "task"]]);
  await step.set("root", 3);
  assert.deepEqual([near.peek("root"), cache.peek("root")], [3, 0]);
  await scope.merge();
  await assert.rejects(near.get("root"), ScopeDisposed);
  assert.throws(() => near.peek("root"), StaleRead);
  assert.equal(cache.peek("task"), 1);
});

live("a cache of a scope holds it and what it inherits", async (agent) => {
  await agent.set("root", 0);
  const outer = await agent.scope("outer");
  const beside = await agent.scope("beside");
  const scope = await outer.scope("task");
  await using cache = await agent.nearCache({ scopeId: scope.scopeId, notes: false });
  await outer.set("outer", 1);
  const below = await scope.scope("step");
  await below.set("k", 2);
  await beside.set("k", 3);
  assert.deepEqual(
    await cache.attach(scope.scopeId).getMany(["root", "outer"]),
    new Map([
      ["root", 0],
      ["outer", 1],
    ]),
  );
  assert.equal(cache.attach(below.scopeId).peek("k"), 2);
  const held = cache.sizeBytes;
  assert.equal(await cache.attach(beside.scopeId).get("k"), 3);
  assert.equal(cache.sizeBytes, held);
});

live("a cache holds the keys with its prefix, and reads others from the daemon", async (agent) => {
  await using cache = await agent.nearCache({ keyPrefix: "a:", notes: false, maxStalenessMs: Infinity });
  await agent.set("a:1", 1);
  const held = cache.sizeBytes;
  await agent.set("b:1", 2);
  await agent.notes.create("Title", "Text", { noteId: "n" });
  await agent.memories.remember("What no event of the cache reports.");
  assert.equal(cache.sizeBytes, held);
  assert.deepEqual(
    await cache.getMany(["a:1", "b:1"]),
    new Map([
      ["a:1", 1],
      ["b:1", 2],
    ]),
  );
  assert.deepEqual(await cache.keys({ keyPrefix: "a:" }), ["a:1"]);
  assert.deepEqual(await cache.keys(), ["a:1", "b:1"]);
  assert.throws(() => cache.peek("b:1"), StaleRead);
  assert.deepEqual([(await cache.note("n"))?.title, await cache.note("none")], ["Title", undefined]);
  assert.deepEqual(
    (await cache.notes()).map(({ noteId }) => noteId),
    ["n"],
  );
});

live("lists are those of the bound user, from the copy as from the daemon", async (agent) => {
  const ann = agent.user("ann");
  await using cache = await agent.nearCache();
  await using anns = await ann.nearCache();
  await using daemons = await ann.nearCache({ keyPrefix: "\u{1F600}", notes: false });
  await agent.set("\u{FFFD}", 0);
  await ann.set("\u{1F600}", 1);
  await ann.set("\u{FFFD}s", 1);
  await agent.notes.create("Of nobody", "Text", { noteId: "0" });
  await ann.notes.create("Of Ann", "Text", { noteId: "1" });
  for (const near of [anns, daemons]) {
    assert.deepEqual(await near.keys(), ["\u{FFFD}s", "\u{1F600}"]);
    assert.deepEqual(
      (await near.notes()).map(({ noteId }) => noteId),
      ["1"],
    );
  }
  assert.deepEqual([await cache.keys(), (await cache.notes()).map(({ noteId }) => noteId)], [["\u{FFFD}"], ["0"]]);
  assert.equal(cache.peek("\u{1F600}"), 1);
});

live("the memory of a cache is bounded", async (agent) => {
  await agent.set("k", "v".repeat(10_000));
  await assert.rejects(agent.nearCache({ maxBytes: 10_000 }), CacheFull);
  await using cache = await agent.nearCache({ maxBytes: 20_000 });
  await using refusing = await agent.nearCache({ maxBytes: 20_000, whenStale: "refuse" });
  assert.equal(refusing.failure, undefined);
  await agent.set("other", "w".repeat(10_000));
  assert.equal(await cache.get("other"), "w".repeat(10_000));
  assert.deepEqual([cache.sizeBytes, await cache.get("k")], [0, "v".repeat(10_000)]);
  assert.ok(cache.failure instanceof CacheFull);
  await assert.rejects(refusing.get("k"), (error) => error instanceof StaleRead && error.cause instanceof CacheFull);
});

live("a closed cache asks the daemon", async (agent) => {
  const cache = await agent.nearCache();
  await agent.set("k", 1);
  await cache.close();
  await agent.set("k", 2);
  assert.deepEqual([await cache.get("k"), cache.stalenessMs], [2, Infinity]);
  assert.throws(() => cache.peek("k"), StaleRead);
});

live("a cache that cannot be opened rejects", async (agent) => {
  const refused = [{ maxStalenessMs: 10 }, { maxStalenessMs: NaN }, { whenStale: "hope" }, { maxBytes: 0 }];
  for (const options of refused as NearCacheOptions[]) {
    await assert.rejects(agent.nearCache(options), RangeError);
  }
  await assert.rejects(agent.nearCache({ scopeId: "none" }), RecordNotFound);
  await assert.rejects(agent.nearCache({ signal: AbortSignal.abort() }), { code: "CANCELLED" });
  using nowhere = connect({ target: "127.0.0.1:1", connectTimeoutMs: 100 });
  await assert.rejects(nowhere.agent("a").nearCache(), Unavailable);
});

live("writes of others arrive, and the staleness is bounded", async (agent) => {
  using other = connect();
  await using cache = await agent.nearCache({ maxStalenessMs: 200 });
  await other.agent(agent.agentId).set("k", 1);
  await until(async () => (await cache.get("k")) === 1);
  await other.agent(agent.agentId).memories.remember("No event of the cache reports this.");
  const before = cache.stalenessMs;
  await until(() => cache.stalenessMs < before);
});
