import assert from "node:assert/strict";
import { test } from "node:test";
import { consistencyOf } from "../../src/consistency.js";

test("without an option there is no consistency in the request", () => {
  assert.deepEqual(consistencyOf({}), {});
});

test("a minimum revision is in the request, also 0", () => {
  assert.deepEqual(consistencyOf({ minRevision: 0 }), {
    consistency: { requirement: { case: "minRevision", value: 0n } },
  });
});

test("a maximum staleness is in milliseconds", () => {
  const { requirement } = consistencyOf({ maxStalenessMs: 1_500 }).consistency ?? {};
  assert.equal(requirement?.case, "maxStaleness");
  assert.deepEqual([requirement.value.seconds, requirement.value.nanos], [1n, 500_000_000]);
});

test("a minimum revision and a maximum staleness exclude each other", () => {
  assert.throws(() => consistencyOf({ minRevision: 1n, maxStalenessMs: 1 }), TypeError);
});
