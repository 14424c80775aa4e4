import assert from "node:assert/strict";
import {
  RecordExists,
  InvalidArgument,
  Json,
  RecordNotFound,
  RevisionInFuture,
  RevisionMismatch,
  UnsupportedValue,
  WrongType,
  type Agent,
  type Listing,
} from "memoryd";
import { EntryType, ListOrder } from "memoryd/v1";
import { live } from "./daemon.js";

const isNumber = (value: unknown): value is number => typeof value === "number";

async function keysOf(agent: Agent, listing: Listing): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of agent.entries(listing)) {
    keys.push(key);
  }
  return keys;
}

live("a value comes back, and a missing one is undefined", async (agent) => {
  const value = { name: "Ada", likes: ["chess", null], id: 9223372036854775807n };
  const { revision, created } = await agent.set("user", value);
  assert.deepEqual([revision, created], [1n, true]);
  assert.deepEqual(await agent.get("user"), value);
  assert.equal(await agent.get("nothing"), undefined);
  await agent.set("nothing", null);
  assert.equal(await agent.get("nothing"), null);
});

live("JSON text is returned byte for byte", async (agent) => {
  const text = '{ "b": 1.0,\t"a": 1e2 }';
  await agent.set("raw", new Json(text));
  assert.equal((await agent.getEntry("raw"))?.valueJson, text);
});

live("a value that does not pass the check is a wrong type", async (agent) => {
  await agent.set("visits", "three");
  await assert.rejects(agent.get("visits", { check: isNumber }), (error) => {
    assert.ok(error instanceof WrongType);
    assert.deepEqual([error.key, error.value], ["visits", "three"]);
    return true;
  });
  await assert.rejects(agent.getMany(["visits"], { check: isNumber }), WrongType);
  await assert.rejects(
    agent.getOrSet("visits", () => 1, { check: isNumber }),
    WrongType,
  );
  await agent.set("visits", 3);
  assert.equal(await agent.get("visits", { check: isNumber }), 3);
});

live("an entry has all attributes that were set", async (agent) => {
  const expireTime = new Date(Date.now() + 3_600_000);
  const metadata = { source: "chat", turn: 12 };
  const said = { typeName: "Mood", importance: 0, tags: ["a", "b"], userId: "ann" };
  await agent.set("mood", "curious", { ...said, entryType: EntryType.INSIGHT, metadata, expireTime });
  const entry = await agent.getEntry("mood");
  assert.deepEqual(
    { ...said, metadata },
    {
      typeName: entry?.typeName,
      importance: entry?.importance,
      tags: entry?.tags,
      userId: entry?.userId,
      metadata: entry?.metadata,
    },
  );
  assert.equal(entry?.type, EntryType.INSIGHT);
  assert.equal(entry.expireTime?.seconds, BigInt(Math.floor(expireTime.getTime() / 1000)));
});

live("a condition that does not hold changes nothing", async (agent) => {
  const { revision } = await agent.set("plan", "first", { mustNotExist: true });
  await assert.rejects(agent.set("plan", "other", { mustNotExist: true }), (error) => {
    assert.ok(error instanceof RecordExists);
    assert.equal(error.revision, revision);
    return true;
  });
  await assert.rejects(agent.set("plan", "other", { expectedRevision: 7 }), (error) => {
    assert.ok(error instanceof RevisionMismatch);
    assert.deepEqual([error.expectedRevision, error.actualRevision], [7n, revision]);
    return true;
  });
  await assert.rejects(agent.remove("plan", { expectedRevision: 7n }), RevisionMismatch);
  assert.equal(await agent.get("plan"), "first");
  await agent.set("plan", "next", { expectedRevision: revision });
});

live("set returns the entry without its content", async (agent) => {
  const first = await agent.set("a", 1, { tags: ["x"], userId: "ann" });
  const second = await agent.set("a", 2, { typeName: "n", metadata: { b: 1 } });
  assert.deepEqual([first.created, second.created], [true, false]);
  assert.deepEqual([first.entry?.userId, first.entry?.tags, first.entry?.key], ["ann", [], "a"]);
  assert.equal(second.entry?.entryId, first.entry?.entryId);
  assert.equal(second.entry?.revision, second.revision);
  assert.deepEqual([second.entry.valueJson, second.entry.typeName, second.entry.metadata], ["", "", undefined]);
});

live("a change that needs an entry is refused without one", async (agent) => {
  await assert.rejects(agent.set("a", 1, { mustExist: true }), RecordNotFound);
  await assert.rejects(agent.remove("a", { mustExist: true }), RecordNotFound);
  await assert.rejects(agent.batch().remove("a", { mustExist: true }).commit(), RecordNotFound);
  assert.equal(await agent.contains("a"), false);
  await agent.set("a", 1);
  await agent.set("a", 2, { mustExist: true });
  await assert.rejects(agent.remove("a", { mustNotExist: true }), RecordExists);
  assert.equal(await agent.remove("a", { mustExist: true }), true);
});

live("a condition on clear is about the agent", async (agent) => {
  await agent.set("a", 1);
  const { revision } = await agent.set("b", 2);
  await assert.rejects(agent.clear({ expectedRevision: 1 }), RevisionMismatch);
  assert.equal(await agent.clear({ expectedRevision: revision }), 2);
});

live("contains, remove and clear return what was there", async (agent) => {
  await agent.set("a", 1);
  await agent.set("b", 2);
  assert.equal(await agent.contains("a"), true);
  assert.equal(await agent.remove("a"), true);
  assert.equal(await agent.remove("a"), false);
  assert.equal(await agent.contains("a"), false);
  assert.equal(await agent.clear(), 1);
});

live("many keys are read at once", async (agent) => {
  await agent.batch().set("a", 1).set("b", 2).commit();
  assert.deepEqual(
    await agent.getMany(["b", "nothing", "a"]),
    new Map([
      ["b", 2],
      ["a", 1],
    ]),
  );
});

live("a batch is written at one revision, or not at all", async (agent) => {
  await agent.set("old", 1);
  const { results, revision } = await agent
    .batch()
    .set("a", 1, { tags: ["t"] })
    .set("b", 2)
    .remove("old")
    .commit();
  assert.equal(revision, 2n);
  assert.deepEqual(
    results.map(({ key, created, deleted, entryId }) => [key, created, deleted, entryId !== ""]),
    [
      ["a", true, false, true],
      ["b", true, false, true],
      ["old", false, true, false],
    ],
  );
  await assert.rejects(agent.batch().set("c", 3).set("a", 4, { mustNotExist: true }).commit(), RecordExists);
  assert.equal(await agent.contains("c"), false);
});

live("an empty batch changes nothing, and an unsupported value fails before it is sent", async (agent) => {
  assert.deepEqual((await agent.batch().commit()).results, []);
  assert.throws(() => agent.batch().set("a", NaN), UnsupportedValue);
});

live("entries are listed in order over many pages", async (agent) => {
  const keys = Array.from({ length: 1_500 }, (_, index) => `key-${String(index).padStart(4, "0")}`);
  for (const half of [keys.slice(750), keys.slice(0, 750)]) {
    const batch = agent.batch();
    half.forEach((key) => batch.set(key, key, { tags: ["x"], typeName: "key" }));
    await batch.commit();
  }
  const listed: string[] = [];
  for await (const entry of agent.entries({ content: false })) {
    assert.deepEqual([entry.valueJson, entry.tags, entry.typeName], ["", [], ""]);
    listed.push(entry.key);
  }
  assert.deepEqual(listed, keys);
});

live("entries are listed by prefix, tags, type and user", async (agent) => {
  await agent.set("a1", 1, { tags: ["x", "y"], userId: "ann" });
  await agent.set("a2", 2, { tags: ["x"], entryType: EntryType.EVENT });
  await agent.set("b1", 3, { tags: ["z"] });
  assert.deepEqual(await keysOf(agent, { keyPrefix: "a", allUsers: true }), ["a1", "a2"]);
  assert.deepEqual(await keysOf(agent, {}), ["a2", "b1"]);
  assert.deepEqual(await keysOf(agent, { allTags: ["x", "y"], allUsers: true }), ["a1"]);
  assert.deepEqual(await keysOf(agent, { anyTags: ["y", "z"], filter: { allUsers: true } }), ["a1", "b1"]);
  assert.deepEqual(await keysOf(agent, { entryTypes: [EntryType.EVENT] }), ["a2"]);
  assert.deepEqual(await keysOf(agent, { userIds: ["ann"] }), ["a1"]);
  assert.deepEqual(await keysOf(agent, { userIds: [""] }), ["a2", "b1"]);
});

live("entries are listed in the requested order", async (agent) => {
  for (const key of ["b", "c", "a", "b"]) {
    await agent.set(key, 1);
  }
  assert.deepEqual(await keysOf(agent, {}), ["a", "b", "c"]);
  assert.deepEqual(await keysOf(agent, { order: ListOrder.ID_DESCENDING }), ["c", "b", "a"]);
  assert.deepEqual(await keysOf(agent, { order: ListOrder.CREATE_TIME }), ["b", "c", "a"]);
  assert.deepEqual(await keysOf(agent, { order: ListOrder.UPDATE_TIME_DESCENDING }), ["b", "a", "c"]);
});

live("a read may name the revision that it needs", async (agent) => {
  const { revision: minRevision } = await agent.set("a", 1);
  assert.equal(await agent.get("a", { minRevision }), 1);
  assert.equal(await agent.get("a", { maxStalenessMs: 1_000 }), 1);
  const ahead = { minRevision: minRevision + 1n };
  await assert.rejects(agent.getEntry("a", ahead), RevisionInFuture);
  await assert.rejects(agent.getMany(["a"], ahead), RevisionInFuture);
  await assert.rejects(agent.contains("a", ahead), RevisionInFuture);
  await assert.rejects(keysOf(agent, ahead), RevisionInFuture);
});

live("an invalid key is named in the error", async (agent) => {
  await assert.rejects(agent.set(" ", 1), (error) => {
    assert.ok(error instanceof InvalidArgument);
    assert.equal(error.code, "INVALID_ARGUMENT");
    assert.equal(error.reason, "ERROR_REASON_INVALID_FIELD");
    assert.deepEqual(Object.keys(error.fields), ["key"]);
    return true;
  });
});

live("a value of a mebibyte comes back", async (agent) => {
  const value = "é".repeat(2 ** 19 - 1);
  await agent.set("large", value);
  assert.equal(await agent.get("large"), value);
});
