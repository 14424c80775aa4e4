import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { copyOf } from "../../src/record-filter.js";
import { RecordFilterSchema } from "../../src/v1.js";

test("a copy of a filter shares nothing with it", () => {
  const message = create(RecordFilterSchema, { anyOf: [{ ids: ["k"] }] });
  const plain = { userIds: ["ann"] };
  copyOf(message).anyOf[0]?.ids.push("other");
  copyOf(plain).userIds.push("other");
  assert.deepEqual(message.anyOf[0]?.ids, ["k"]);
  assert.deepEqual(plain.userIds, ["ann"]);
});

test("the copy of no filter is empty", () => {
  assert.deepEqual(copyOf(undefined), create(RecordFilterSchema));
});
