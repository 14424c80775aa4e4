import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { Entry } from "#protos/memoryd/v1/entry_pb";

/** A piece is stored as a JSON string: if each of its characters is escaped, it is twice as long, and still below 1 MiB. */
const PIECE_BYTES = 500_000;

/** A serialized value: the name of its format, and the bytes in base64. */
export type Typed = readonly [string, string];

/** Returns the value as the serializer encodes it. */
export async function typed(serde: SerializerProtocol, value: unknown): Promise<Typed> {
  const [name, content] = await serde.dumpsTyped(value);
  return [name, Buffer.from(content).toString("base64")];
}

/** Returns the decoded value. */
export async function untyped(serde: SerializerProtocol, [name, content]: Typed): Promise<unknown> {
  return (await serde.loadsTyped(name, new Uint8Array(Buffer.from(content, "base64")))) as unknown;
}

/** Returns the keys and JSON texts that store an object of any size: one, or a head and its pieces. */
export function textsOf(key: string, document: object): [string, string][] {
  // ASCII only: a character is one byte, so that the text can be split anywhere.
  const text = JSON.stringify(document).replace(/[^\p{ASCII}]/gu, asciiOf);
  if (text.length <= PIECE_BYTES) {
    return [[key, text]];
  }
  const count = Math.ceil(text.length / PIECE_BYTES);
  const pieces = pieceKeys(key, count).map((each, index): [string, string] => {
    const start = index * PIECE_BYTES;
    return [each, JSON.stringify(text.slice(start, start + PIECE_BYTES))];
  });
  return [[key, JSON.stringify({ pieces: count })], ...pieces];
}

/** Returns the keys of a document's pieces that are not among the entries. Without its head there are none. */
export function missingPieces(key: string, entries: ReadonlyMap<string, Entry>): string[] {
  const head = entries.get(key);
  return head ? pieceKeys(key, countOf(head)).filter((each) => !entries.has(each)) : [];
}

/** Returns the document, or undefined if one of its entries is missing. Its writer knows its type. */
export function documentIn(key: string, entries: ReadonlyMap<string, Entry>): unknown {
  const head = entries.get(key);
  if (!head || missingPieces(key, entries).length > 0) {
    return undefined;
  }
  const pieces = pieceKeys(key, countOf(head)).map((each) => JSON.parse(entries.get(each)?.valueJson ?? "") as string);
  return JSON.parse(pieces.length === 0 ? head.valueJson : pieces.join(""));
}

function pieceKeys(key: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${key}/${index + 1}`);
}

function countOf(head: Entry): number {
  return (JSON.parse(head.valueJson) as { pieces?: number }).pieces ?? 0;
}

function asciiOf(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16);
    return `\\u${code.padStart(4, "0")}`;
  }).join("");
}
