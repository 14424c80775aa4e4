import { createHash } from "node:crypto";

/** The longest key of an entry, in bytes. */
export const KEY_BYTES_MAX = 1_024;
const PART_BYTES_MAX = 200;

/** The escape character, the separator, what agents' ids must not have, and control characters, which keys must not. */
const ESCAPED = /[%/*\p{Cc}]/gu;

/** Returns the text without separators, asterisks and control characters. `unescaped` reverses it. */
export function escaped(text: string): string {
  // An asterisk is the one among them that encodeURIComponent keeps.
  return text.replace(ESCAPED, (found) => (found === "*" ? "%2A" : encodeURIComponent(found)));
}

/** Returns the text that was escaped. */
export function unescaped(text: string): string {
  return decodeURIComponent(text);
}

/**
 * Returns the escaped text as a part of a key or of an agent's id, or its digest if it is longer than 200 bytes. In an
 * escaped text, two hexadecimal digits follow each percent sign, so that it never equals a digest.
 */
export function part(text: string): string {
  const short = escaped(text);
  if (Buffer.byteLength(short) <= PART_BYTES_MAX) {
    return short;
  }
  return `%sha256-${createHash("sha256").update(text).digest("hex")}`;
}
