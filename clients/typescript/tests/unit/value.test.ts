import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { WrongType } from "../../src/errors.js";
import { countsByKind } from "../../src/record-counts.js";
import { EntrySchema, RecordCountSchema, RecordKind } from "../../src/v1.js";
import { decode } from "../../src/value.js";

const isString = (value: unknown): value is string => typeof value === "string";

test("the value of an entry is decoded", () => {
  const large = create(EntrySchema, { key: "large", valueJson: '{"n":9007199254740993}' });
  assert.deepEqual(decode(large), { n: 9007199254740993n });
  assert.equal(decode(create(EntrySchema, { valueJson: "null" })), null);
});

test("no entry and an entry without content have no value", () => {
  assert.equal(decode(undefined, { check: isString }), undefined);
  assert.equal(decode(create(EntrySchema, { key: "k" }), { check: isString }), undefined);
});

test("a value that does not pass the check is refused", () => {
  const mood: string | undefined = decode(create(EntrySchema, { valueJson: '"curious"' }), { check: isString });
  assert.equal(mood, "curious");
  assert.throws(() => decode(create(EntrySchema, { key: "k", valueJson: "1" }), { check: isString }), WrongType);
});

test("numbers of records are by kind", () => {
  const counts = [create(RecordCountSchema, { kind: RecordKind.ENTRY, count: 3n })];
  assert.deepEqual(countsByKind(counts), new Map([[RecordKind.ENTRY, 3]]));
});
