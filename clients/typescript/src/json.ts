import { parse as parseLossless } from "lossless-json";
import { UnsupportedValue } from "./errors.js";

// A double represents shorter integers exactly, and the built-in parser is several times as fast.
const MAY_NEED_BIGINT = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * JSON text that is stored byte for byte: spaces, the order of keys and the digits of numbers are preserved.
 *
 * The static methods are the conversions of this package. They work like the global `JSON`, but integers keep all
 * digits.
 */
export class Json {
  constructor(readonly text: string) {}

  /**
   * Returns the value of JSON text. An integer that a number cannot represent exactly becomes a bigint.
   *
   * @throws SyntaxError if the text is not JSON.
   */
  static parse(text: string): unknown {
    if (!MAY_NEED_BIGINT.test(text)) {
      return JSON.parse(text);
    }
    return parseLossless(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
  }

  /**
   * Returns the value as compact JSON text, or the unchanged text of a `Json`.
   *
   * As in `JSON.stringify`, `toJSON` is called (so a `Date` becomes a string), and properties that are undefined are
   * omitted. A bigint is written with all its digits.
   *
   * @throws UnsupportedValue for values that JSON would lose: undefined elsewhere, NaN and infinities, functions,
   * symbols, maps, sets, binary data, lone surrogates, cycles.
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
  return value.isWellFormed() ? JSON.stringify(value) : unsupported("a lone surrogate", value);
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
    // Unlike map, Array.from also visits holes, which are refused.
    return `[${Array.from(value, (item: unknown, index) => write(item, String(index))).join(",")}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${writeString(name)}:${write(member, name)}`).join(",")}}`;
}

function hasToJson(value: object): value is { toJSON: (key: string) => unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

function unsupported(what: string, key: string): never {
  throw new UnsupportedValue(`JSON cannot represent ${what}${key && ` (at ${JSON.stringify(key)})`}`);
}
