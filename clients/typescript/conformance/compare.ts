import type { JsonValue } from "@bufbuild/protobuf";

const PRESENT = "${present}";
const ABSENT = "${absent}";

/** Describes the first difference between the expected and the actual value. Returns undefined if they match. */
export function difference(expected: JsonValue, actual: JsonValue | undefined, path = ""): string | undefined {
  if (expected === ABSENT) {
    return actual === undefined ? undefined : mismatch(path, "nothing", actual);
  }
  if (expected === PRESENT) {
    return isPresent(actual) ? undefined : mismatch(path, "something", actual);
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return mismatch(path, expected, actual);
    }
    return first(expected.map((item, index) => difference(item, actual[index], `${path}${index}.`)));
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null || Array.isArray(actual)) {
      return mismatch(path, expected, actual);
    }
    return first(Object.entries(expected).map(([key, value]) => difference(value, actual[key], `${path}${key}.`)));
  }
  return expected === actual ? undefined : mismatch(path, expected, actual);
}

function isPresent(value: JsonValue | undefined): boolean {
  // 64-bit integers are strings.
  if (value === undefined || value === null || value === "" || value === "0" || value === 0 || value === false) {
    return false;
  }
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function mismatch(path: string, expected: JsonValue, actual: JsonValue | undefined): string {
  const got = actual === undefined ? "nothing" : JSON.stringify(actual);
  return `${path.slice(0, -1) || "answer"}: expected ${JSON.stringify(expected)}, got ${got}`;
}

function first(differences: (string | undefined)[]): string | undefined {
  return differences.find((found) => found !== undefined);
}
