import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions as ConnectCallOptions } from "@connectrpc/connect";
import type { MemoryType } from "#protos/memoryd/v1/entry_pb";
import type { PreconditionSchema } from "#protos/memoryd/v1/precondition_pb";
import type { SetEntryRequestSchema } from "#protos/memoryd/v1/working_memory_service_pb";
import { Json } from "./json.js";

/**
 * `signal` cancels a call. `timeoutMs` replaces the client's timeout of a call with all its retries; `Infinity` is
 * none.
 */
export type CallOptions = Pick<ConnectCallOptions, "signal" | "timeoutMs">;

/** A revision. The daemon returns a bigint; a number is accepted for literals. */
export type Revision = bigint | number;

/**
 * The attributes of an entry. At most one of the three expiries may be given; without one the entry does not expire.
 */
export interface EntryOptions {
  /** The name that the writer uses for the value's type. */
  readonly typeName?: string;
  /** The type of the entry. Default: a fact. */
  readonly memoryType?: MemoryType;
  /** The importance, from 0 to 1. Default: 0.5. */
  readonly importance?: number;
  /** The tags, at most 64. */
  readonly tags?: readonly string[];
  /** Additional JSON values that the writer defines. */
  readonly metadata?: JsonObject;
  /** The time after which the entry expires, in milliseconds. */
  readonly ttlMs?: number;
  /** The moment at which the entry expires. */
  readonly expireTime?: Date;
  /** The number of days after which the entry expires. */
  readonly expiryDays?: number;
}

/** At most one condition on the own entry of the agent or scope. */
export interface Condition {
  /** If true, the change is refused with `EntryExists` if there is an entry. */
  readonly mustNotExist?: boolean;
  /** The change is refused with `RevisionMismatch` unless the entry has this revision; 0 means that there is none. */
  readonly expectedRevision?: Revision;
}

type Content = Pick<
  Exclude<MessageInitShape<typeof SetEntryRequestSchema>, { $typeName: string }>,
  "content" | "typeName" | "memoryType" | "importance" | "tags" | "metadata" | "expiry"
>;

/**
 * Returns the value and its attributes as fields of a request.
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

/** Returns an object to spread into a request: the condition as its field, or nothing. */
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
