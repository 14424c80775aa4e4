import assert from "node:assert/strict";
import { EntryExists, InvalidArgument, Json, RevisionMismatch, UnsupportedValue, WrongType } from "memoryd";
import { MemoryType, PayloadMode } from "memoryd/v1";
import { live } from "./daemon.js";

const isNumber = (value: unknown): value is number => typeof value === "number";

live("a value comes back, and a missing one is undefined", async (agent) => {
  const value = { name: "Ada", likes: ["chess", null], id: 9223372036854775807n };
  const { revision, isUpdate } = await agent.set("user", value);
  assert.deepEqual([revision, isUpdate], [1n, false]);
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
  const said = { typeName: "Mood", memoryType: MemoryType.INSIGHT, importance: 0, tags: ["a", "b"] };
  await agent.set("mood", "curious", { ...said, metadata, expireTime });
  const entry = await agent.getEntry("mood");
  assert.deepEqual(
    { ...said, metadata },
    {
      typeName: entry?.typeName,
      memoryType: entry?.memoryType,
      importance: entry?.importance,
      tags: entry?.tags,
      metadata: entry?.metadata,
    },
  );
  assert.equal(entry?.expireTime?.seconds, BigInt(Math.floor(expireTime.getTime() / 1000)));
});

live("a condition that does not hold changes nothing", async (agent) => {
  const { revision } = await agent.set("plan", "first", { mustNotExist: true });
  await assert.rejects(agent.set("plan", "other", { mustNotExist: true }), (error) => {
    assert.ok(error instanceof EntryExists);
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
    results.map(({ key, existed }) => [key, existed]),
    [
      ["a", false],
      ["b", false],
      ["old", true],
    ],
  );
  await assert.rejects(agent.batch().set("c", 3).set("a", 4, { mustNotExist: true }).commit(), EntryExists);
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
    half.forEach((key) => batch.set(key, key));
    await batch.commit();
  }
  const listed: string[] = [];
  for await (const entry of agent.entries({ payloadMode: PayloadMode.METADATA_ONLY })) {
    assert.equal(entry.valueJson, "");
    listed.push(entry.key);
  }
  assert.deepEqual(listed, keys);
});

live("entries are listed by prefix, tags and type", async (agent) => {
  await agent.set("a1", 1, { tags: ["x", "y"] });
  await agent.set("a2", 2, { tags: ["x"], memoryType: MemoryType.EVENT });
  await agent.set("b1", 3, { tags: ["x"] });
  const keysOf = async (listing: Parameters<typeof agent.entries>[0]): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of agent.entries(listing)) {
      keys.push(key);
    }
    return keys;
  };
  assert.deepEqual(await keysOf({ keyPrefix: "a" }), ["a1", "a2"]);
  assert.deepEqual(await keysOf({ tags: ["x", "y"] }), ["a1"]);
  assert.deepEqual(await keysOf({ memoryTypes: [MemoryType.EVENT] }), ["a2"]);
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
