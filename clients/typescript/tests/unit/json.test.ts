import assert from "node:assert/strict";
import { test } from "node:test";
import { UnsupportedValue } from "../../src/errors.js";
import { Json } from "../../src/json.js";

const same: readonly unknown[] = [
  null,
  true,
  0,
  -1.5,
  Number.MAX_SAFE_INTEGER,
  "Ada \u{1f9e0} \u2028 \0",
  [],
  {},
  { list: [1, { deep: [null] }], "": 1 },
  9223372036854775807n,
  -9007199254740993n,
  [18446744073709551615n, 1, "1234567890123456789"],
];

for (const value of same) {
  const text = Json.stringify(value);
  test(`a value survives a round trip: ${text}`, () => {
    assert.deepEqual(Json.parse(text), value);
  });
}

test("an integer is a bigint only if a number cannot represent it", () => {
  assert.deepEqual(Json.parse("[9007199254740991, 9007199254740992, -9007199254740992]"), [
    9007199254740991,
    9007199254740992n,
    -9007199254740992n,
  ]);
});

test("a number with a fraction is a number, however long", () => {
  assert.equal(Json.parse("0.12345678901234567890"), 0.12345678901234568);
});

test("a key that is repeated has its last value, with and without large integers", () => {
  assert.deepEqual(Json.parse('{"a": 1, "a": 2}'), { a: 2 });
  assert.deepEqual(Json.parse('{"a": 1, "a": 12345678901234567890}'), { a: 12345678901234567890n });
});

test("a key named __proto__ is a key like any other", () => {
  const parsed = Json.parse('{"__proto__": {"admin": true}, "n": 12345678901234567890}') as { admin?: boolean };
  assert.equal(parsed.admin, undefined);
  assert.ok(Object.hasOwn(parsed, "__proto__"));
});

test("a Json is written byte for byte", () => {
  const text = '{ "b":1.0,\n "a" : 1e2 }';
  assert.equal(Json.stringify(new Json(text)), text);
  assert.equal(Json.stringify({ inside: new Json("1.0") }), '{"inside":1.0}');
});

test("properties that are undefined are omitted, and dates are written as strings", () => {
  assert.equal(Json.stringify({ a: undefined, at: new Date(0) }), '{"at":"1970-01-01T00:00:00.000Z"}');
});

const cycle: unknown[] = [];
cycle.push(cycle);
const unsupported: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["undefined in a list", [undefined]],
  // eslint-disable-next-line no-sparse-arrays -- that is what it is about
  ["a hole in a list", [1, , 2]],
  ["not a number", NaN],
  ["infinity", { deep: [-Infinity] }],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["a map", new Map([["a", 1]])],
  ["a set", new Set([1])],
  ["bytes", Buffer.from("abc")],
  ["a lone surrogate", "\ud800"],
  ["a lone surrogate in a key", { "\udc00": 1 }],
  ["what contains itself", cycle],
];

for (const [name, value] of unsupported) {
  test(`JSON cannot represent ${name}`, () => {
    assert.throws(() => Json.stringify(value), UnsupportedValue);
  });
}
