import assert from "node:assert/strict";
import { test } from "node:test";
import { agentPreconditionOf, contentOf, givenFields, preconditionOf } from "../../src/entry-options.js";
import { EntryType } from "../../src/v1.js";

test("options that are not given are not in the request", () => {
  assert.deepEqual(contentOf(1, {}), { content: { case: "valueJson", value: "1" }, expiry: { case: undefined } });
});

test("an importance of 0 and empty tags are in the request", () => {
  const { importance, tags } = contentOf(1, { importance: 0, tags: [] });
  assert.equal(importance, 0);
  assert.deepEqual(tags, []);
});

test("options are written into the request", () => {
  const metadata = { source: "chat" };
  const content = contentOf("v", { typeName: "T", entryType: EntryType.INSIGHT, metadata, userId: "ann" });
  assert.equal(content.typeName, "T");
  assert.equal(content.type, EntryType.INSIGHT);
  assert.equal(content.metadata, metadata);
  assert.equal(content.userId, "ann");
});

test("a time to live is in milliseconds", () => {
  const { expiry } = contentOf(1, { ttlMs: 1_250 });
  assert.equal(expiry?.case, "ttl");
  assert.deepEqual([expiry.value.seconds, expiry.value.nanos], [1n, 250_000_000]);
});

test("days of expiry are a time to live", () => {
  const { expiry } = contentOf(1, { expiryDays: 2 });
  assert.equal(expiry?.case, "ttl");
  assert.deepEqual([expiry.value.seconds, expiry.value.nanos], [172_800n, 0]);
});

test("two expiries exclude each other", () => {
  assert.throws(() => contentOf(1, { ttlMs: 1, expiryDays: 1 }), TypeError);
});

test("a revision of 0 is a condition", () => {
  assert.deepEqual(preconditionOf({ expectedRevision: 0 }), {
    precondition: { condition: { case: "expectedRevision", value: 0n } },
  });
});

test("a condition that is false is no condition", () => {
  assert.deepEqual(preconditionOf({}), {});
  assert.deepEqual(preconditionOf({ mustNotExist: false, mustExist: false }), {});
  assert.deepEqual(agentPreconditionOf({}), {});
});

test("a condition is about the record or the agent", () => {
  assert.deepEqual(preconditionOf({ mustNotExist: true }), {
    precondition: { condition: { case: "mustNotExist", value: true } },
  });
  assert.deepEqual(preconditionOf({ mustExist: true }), {
    precondition: { condition: { case: "mustExist", value: true } },
  });
  assert.deepEqual(agentPreconditionOf({ expectedRevision: 7n }), {
    agentPrecondition: { condition: { case: "expectedRevision", value: 7n } },
  });
  assert.deepEqual(agentPreconditionOf({ mustExist: true }), {
    agentPrecondition: { condition: { case: "mustExist", value: true } },
  });
});

test("two conditions exclude each other", () => {
  assert.throws(() => preconditionOf({ mustNotExist: true, expectedRevision: 0n }), TypeError);
  assert.throws(() => preconditionOf({ mustExist: true, expectedRevision: 1n }), TypeError);
  assert.throws(() => preconditionOf({ mustNotExist: true, mustExist: true }), TypeError);
  assert.throws(() => agentPreconditionOf({ mustExist: true, expectedRevision: 1n }), TypeError);
});

test("an update gives the fields of its options, also those that are empty", () => {
  assert.deepEqual(givenFields({}), []);
  const given = { tags: [], importance: 0, userId: "", expireTime: null };
  assert.deepEqual(givenFields(given), ["importance", "tags", "user_id", "expire_time"]);
  assert.equal(contentOf(1, given).expiry?.case, undefined);
});
