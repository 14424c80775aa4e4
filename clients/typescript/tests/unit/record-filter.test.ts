import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { copyOf, entryConditionOf, select, selectUsers } from "../../src/record-filter.js";
import { EntryConditionSchema, EntryType, RecordFilterSchema } from "../../src/v1.js";

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

test("a list of which a record has any one is not empty, and is given once", () => {
  assert.throws(() => {
    select([], [], "ids");
  }, /ids is empty/);
  assert.throws(() => {
    select(["a"], ["b"], "ids");
  }, /ids is selected twice/);
  const ids: string[] = [];
  select(ids, undefined, "ids");
  select(ids, ["a"], "ids");
  assert.deepEqual(ids, ["a"]);
});

test("some users and all users exclude each other", () => {
  assert.throws(() => {
    selectUsers(create(RecordFilterSchema, { userIds: ["ann"] }), undefined, true);
  }, TypeError);
  assert.throws(() => {
    selectUsers(create(RecordFilterSchema, { allUsers: true }), ["ann"]);
  }, TypeError);
});

test("conditions on entries are added to those of the filter", () => {
  const filter = create(RecordFilterSchema, { kind: { case: "entry", value: { minImportance: 0.5 } } });
  entryConditionOf(filter).types.push(EntryType.EVENT);
  assert.deepEqual(filter.kind.value, create(EntryConditionSchema, { minImportance: 0.5, types: [EntryType.EVENT] }));
  assert.throws(() => entryConditionOf(create(RecordFilterSchema, { kind: { case: "note", value: {} } })), TypeError);
});
