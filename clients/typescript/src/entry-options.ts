import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions as ConnectCallOptions } from "@connectrpc/connect";
import type { MemoryType } from "#protos/memoryd/v1/entry_pb";
import type { PreconditionSchema } from "#protos/memoryd/v1/precondition_pb";
import type { SetEntryRequestSchema } from "#protos/memoryd/v1/working_memory_service_pb";
import { Json } from "./json.js";

/** `signal` gives a call up; `timeoutMs` is its time with all its attempts, instead of the client's: `Infinity` for none. */
export type CallOptions = Pick<ConnectCallOptions, "signal" | "timeoutMs">;

/** A revision. Numbers are for literals: what the daemon answers is a bigint. */
export type Revision = bigint | number;

/** What may be said about a value that is stored. At most one of the last three; none means that it stays. */
export interface EntryOptions {
  /** The writer's name for the value's type. */
  readonly typeName?: string;
  /** What the entry holds; a fact when left out. */
  readonly memoryType?: MemoryType;
  /** From 0 to 1; 0.5 when left out. */
  readonly importance?: number;
  /** Labels, at most 64. */
  readonly tags?: readonly string[];
  /** JSON values of the writer. */
  readonly metadata?: JsonObject;
  /** How long the entry lives, in milliseconds. */
  readonly ttlMs?: number;
  /** The moment at which the entry ends. */
  readonly expireTime?: Date;
  /** The number of days that the entry lives. */
  readonly expiryDays?: number;
}

/** At most one condition on the entry in this very place. */
export interface Condition {
  /** Refuse with `EntryExists` when it is there. */
  readonly mustNotExist?: boolean;
  /** Refuse with `RevisionMismatch` unless it has this revision; 0 means that it is not there. */
  readonly expectedRevision?: Revision;
}

type Content = Pick<
  Exclude<MessageInitShape<typeof SetEntryRequestSchema>, { $typeName: string }>,
  "content" | "typeName" | "memoryType" | "importance" | "tags" | "metadata" | "expiry"
>;

/**
 * Answers the value, and what is said about it, as fields of a request.
 *
 * @throws UnsupportedValue
 */
export function contentOf(value: unknown, options: EntryOptions): Content {
  const { typeName, memoryType, importance, tags, metadata } = options;
  return {
    content: { case: "valueJson", value: Json.stringify(value) },
    ...(typeName !== undefined && { typeName }),
    ...(memoryType !== undefined && { memoryType }),
    ...(importance !== undefined && { importance }),
    ...(tags !== undefined && { tags: [...tags] }),
    ...(metadata !== undefined && { metadata }),
    expiry: expiryOf(options),
  };
}

/** Answers the condition as a field of a request, to be spread into it. */
export function preconditionOf({ mustNotExist, expectedRevision }: Condition): {
  precondition?: MessageInitShape<typeof PreconditionSchema>;
} {
  if (mustNotExist && expectedRevision !== undefined) {
    throw new TypeError("mustNotExist and expectedRevision exclude each other");
  }
  if (mustNotExist) {
    return { precondition: { condition: { case: "mustNotExist", value: true } } };
  }
  if (expectedRevision === undefined) {
    return {};
  }
  return { precondition: { condition: { case: "expectedRevision", value: BigInt(expectedRevision) } } };
}

function expiryOf({ ttlMs, expireTime, expiryDays }: EntryOptions): NonNullable<Content["expiry"]> {
  if ([ttlMs, expireTime, expiryDays].filter((given) => given !== undefined).length > 1) {
    throw new TypeError("ttlMs, expireTime and expiryDays exclude each other");
  }
  if (ttlMs !== undefined) {
    return { case: "ttl", value: durationFromMs(ttlMs) };
  }
  if (expireTime !== undefined) {
    return { case: "expireTime", value: timestampFromDate(expireTime) };
  }
  return expiryDays === undefined ? { case: undefined } : { case: "expiryDays", value: expiryDays };
}
