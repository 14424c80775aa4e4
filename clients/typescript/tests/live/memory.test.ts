import assert from "node:assert/strict";
import { EntryExists, InvalidArgument, Json, RevisionMismatch, UnsupportedValue, WrongType } from "memoryd";
import { MemoryType, PayloadMode } from "memoryd/v1";
import { live } from "./daemon.js";

const isNumber = (value: unknown): value is number => typeof value === "number";

live("a value comes back, and a missing one is undefined", async (memory) => {
  const value = { name: "Ada", likes: ["chess", null], id: 9223372036854775807n };
  const { revision, isUpdate } = await memory.set("user", value);
  assert.deepEqual([revision, isUpdate], [1n, false]);
  assert.deepEqual(await memory.get("user"), value);
  assert.equal(await memory.get("nothing"), undefined);
  await memory.set("nothing", null);
  assert.equal(await memory.get("nothing"), null);
});

live("JSON text comes out of the entry byte for byte", async (memory) => {
  const text = '{ "b": 1.0,\t"a": 1e2 }';
  await memory.set("raw", new Json(text));
  assert.equal((await memory.getEntry("raw"))?.valueJson, text);
});

live("a value that does not pass the check is a wrong type", async (memory) => {
  await memory.set("visits", "three");
  await assert.rejects(memory.get("visits", { check: isNumber }), (error) => {
    assert.ok(error instanceof WrongType);
    assert.deepEqual([error.key, error.value], ["visits", "three"]);
    return true;
  });
  await assert.rejects(memory.getMany(["visits"], { check: isNumber }), WrongType);
  await assert.rejects(
    memory.getOrSet("visits", () => 1, { check: isNumber }),
    WrongType,
  );
  await memory.set("visits", 3);
  assert.equal(await memory.get("visits", { check: isNumber }), 3);
});

live("what is said about a value is kept", async (memory) => {
  const expireTime = new Date(Date.now() + 3_600_000);
  const metadata = { source: "chat", turn: 12 };
  const said = { typeName: "Mood", memoryType: MemoryType.INSIGHT, importance: 0, tags: ["a", "b"] };
  await memory.set("mood", "curious", { ...said, metadata, expireTime });
  const entry = await memory.getEntry("mood");
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

live("a condition that does not hold changes nothing", async (memory) => {
  const { revision } = await memory.set("plan", "first", { mustNotExist: true });
  await assert.rejects(memory.set("plan", "other", { mustNotExist: true }), (error) => {
    assert.ok(error instanceof EntryExists);
    assert.equal(error.revision, revision);
    return true;
  });
  await assert.rejects(memory.set("plan", "other", { expectedRevision: 7 }), (error) => {
    assert.ok(error instanceof RevisionMismatch);
    assert.deepEqual([error.expectedRevision, error.actualRevision], [7n, revision]);
    return true;
  });
  await assert.rejects(memory.remove("plan", { expectedRevision: 7n }), RevisionMismatch);
  assert.equal(await memory.get("plan"), "first");
  await memory.set("plan", "next", { expectedRevision: revision });
});

live("contains, remove and clear tell what was there", async (memory) => {
  await memory.set("a", 1);
  await memory.set("b", 2);
  assert.equal(await memory.contains("a"), true);
  assert.equal(await memory.remove("a"), true);
  assert.equal(await memory.remove("a"), false);
  assert.equal(await memory.contains("a"), false);
  assert.equal(await memory.clear(), 1);
});

live("many keys are read at once", async (memory) => {
  await memory.batch().set("a", 1).set("b", 2).commit();
  assert.deepEqual(
    await memory.getMany(["b", "nothing", "a"]),
    new Map([
      ["b", 2],
      ["a", 1],
    ]),
  );
});

live("a batch happens at one revision, or not at all", async (memory) => {
  await memory.set("old", 1);
  const { results, revision } = await memory
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
  await assert.rejects(memory.batch().set("c", 3).set("a", 4, { mustNotExist: true }).commit(), EntryExists);
  assert.equal(await memory.contains("c"), false);
});

live("a batch of nothing changes nothing, and a value that is none fails before it is sent", async (memory) => {
  assert.deepEqual((await memory.batch().commit()).results, []);
  assert.throws(() => memory.batch().set("a", NaN), UnsupportedValue);
});

live("entries are listed in order over many pages", async (memory) => {
  const keys = Array.from({ length: 1_500 }, (_, index) => `key-${String(index).padStart(4, "0")}`);
  for (const half of [keys.slice(750), keys.slice(0, 750)]) {
    const batch = memory.batch();
    half.forEach((key) => batch.set(key, key));
    await batch.commit();
  }
  const listed: string[] = [];
  for await (const entry of memory.entries({ payloadMode: PayloadMode.METADATA_ONLY })) {
    assert.equal(entry.valueJson, "");
    listed.push(entry.key);
  }
  assert.deepEqual(listed, keys);
});

live("entries are listed by prefix, tags and type", async (memory) => {
  await memory.set("a1", 1, { tags: ["x", "y"] });
  await memory.set("a2", 2, { tags: ["x"], memoryType: MemoryType.EVENT });
  await memory.set("b1", 3, { tags: ["x"] });
  const keysOf = async (listing: Parameters<typeof memory.entries>[0]): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of memory.entries(listing)) {
      keys.push(key);
    }
    return keys;
  };
  assert.deepEqual(await keysOf({ keyPrefix: "a" }), ["a1", "a2"]);
  assert.deepEqual(await keysOf({ tags: ["x", "y"] }), ["a1"]);
  assert.deepEqual(await keysOf({ memoryTypes: [MemoryType.EVENT] }), ["a2"]);
});

live("a bad key is named", async (memory) => {
  await assert.rejects(memory.set(" ", 1), (error) => {
    assert.ok(error instanceof InvalidArgument);
    assert.equal(error.code, "INVALID_ARGUMENT");
    assert.equal(error.reason, "ERROR_REASON_INVALID_FIELD");
    assert.deepEqual(Object.keys(error.fields), ["key"]);
    return true;
  });
});

live("a value of a mebibyte comes back", async (memory) => {
  const value = "é".repeat(2 ** 19 - 1);
  await memory.set("large", value);
  assert.equal(await memory.get("large"), value);
});
