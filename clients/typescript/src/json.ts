import { parse as parseLossless } from "lossless-json";
import { UnsupportedValue } from "./errors.js";

// Shorter integers are all told apart by a double, and the built-in parser is several times as fast.
const MAY_NEED_BIGINT = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * JSON text that is stored byte for byte: its spaces, the order of its keys and the digits of its numbers stay.
 *
 * Its static methods are what this package makes of JSON: as the global `JSON`, but integers keep all their digits.
 */
export class Json {
  constructor(readonly text: string) {}

  /**
   * Answers the value of JSON text. An integer that a number cannot hold exactly becomes a bigint.
   *
   * @throws SyntaxError
   */
  static parse(text: string): unknown {
    if (!MAY_NEED_BIGINT.test(text)) {
      return JSON.parse(text);
    }
    return parseLossless(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
  }

  /**
   * Answers the value as compact JSON text; of a `Json` its very text.
   *
   * As in `JSON.stringify`, `toJSON` is asked (so a `Date` becomes a string), and properties that are undefined are
   * left out. A bigint is written with all its digits.
   *
   * @throws UnsupportedValue for what would not come back: undefined elsewhere, NaN and infinities, functions,
   * symbols, maps, sets, binary data, halves of surrogate pairs, cycles.
   */
  static stringify(value: unknown): string {
    try {
      return write(value, "");
    } catch (error) {
      if (error instanceof RangeError) {
        throw new UnsupportedValue("the value is nested too deeply, or contains itself", { cause: error });
      }
      throw error;
    }
  }
}

function parseNumber(text: string): number | bigint {
  const number = Number(text);
  return INTEGER.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
}

function write(value: unknown, key: string): string {
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "number":
      return Number.isFinite(value) ? String(value) : unsupported(String(value), key);
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "null" : writeObject(value, key);
    default:
      return unsupported(typeof value, key);
  }
}

function writeString(value: string): string {
  return value.isWellFormed() ? JSON.stringify(value) : unsupported("half of a surrogate pair", value);
}

function writeObject(value: object, key: string): string {
  if (value instanceof Json) {
    return value.text;
  }
  if (value instanceof Map || value instanceof Set || value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    return unsupported(`a ${value.constructor.name}`, key);
  }
  if (hasToJson(value)) {
    return write(value.toJSON(key), key);
  }
  if (Array.isArray(value)) {
    // Array.from visits the holes, too.
    return `[${Array.from(value, (item: unknown, index) => write(item, String(index))).join(",")}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${writeString(name)}:${write(member, name)}`).join(",")}}`;
}

function hasToJson(value: object): value is { toJSON: (key: string) => unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

function unsupported(what: string, key: string): never {
  throw new UnsupportedValue(`JSON cannot hold ${what}${key && ` (at ${JSON.stringify(key)})`}`);
}
