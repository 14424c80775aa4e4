import type { Entry } from "#protos/memoryd/v1/entry_pb";
import { WrongType } from "./errors.js";
import { Json } from "./json.js";

/** A check of the type of a value. */
export interface Check<T> {
  /** A type guard: a value that does not pass it is refused with `WrongType`. Without one the type is not checked. */
  readonly check?: (value: unknown) => value is T;
}

/**
 * Returns the value of an entry (see {@link Json.parse}), such as one of an event. Undefined if there is no entry, or if
 * it is without content.
 *
 * @throws WrongType for a value that does not pass the check.
 */
export function decode<T = unknown>(entry: Entry | undefined, options: Check<T> = {}): T | undefined {
  // No value is empty JSON text.
  return entry?.valueJson ? valueOf(entry, options) : undefined;
}

/** Returns the value of an entry that has content. */
export function valueOf<T>(entry: Entry, options: Check<T>): T {
  return checked(entry.key, Json.parse(entry.valueJson), options);
}

/** Returns the value. Throws `WrongType` if it does not pass the check. */
export function checked<T>(key: string, value: unknown, { check }: Check<T>): T {
  if (check && !check(value)) {
    throw new WrongType(key, value);
  }
  return value as T;
}
