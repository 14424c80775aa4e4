import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions as ConnectCallOptions } from "@connectrpc/connect";
import type { EntryType } from "#protos/memoryd/v1/entry_pb";
import type { PreconditionSchema } from "#protos/memoryd/v1/precondition_pb";
import type { SetEntryRequestSchema } from "#protos/memoryd/v1/working_memory_service_pb";
import { Json } from "./json.js";

const DAY_MS = 86_400_000;

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
  readonly entryType?: EntryType;
  /** The importance, from 0 to 1. Default: 0.5. */
  readonly importance?: number;
  /** The tags, at most 64. */
  readonly tags?: readonly string[];
  /** Additional JSON values that the writer defines. */
  readonly metadata?: JsonObject;
  /** The user that the entry is about. Default, also if it is empty: the agent's bound user, else none. */
  readonly userId?: string;
  /** The time after which the entry expires, in milliseconds. */
  readonly ttlMs?: number;
  /** The moment at which the entry expires. Null is never, as without an expiry; in an update it ends the expiry. */
  readonly expireTime?: Date | null;
  /** The number of days after which the entry expires. */
  readonly expiryDays?: number;
}

/**
 * At most one condition, without which a change is refused and changes nothing.
 *
 * On an entry it is about the own entry of the agent or scope: inherited entries do not count. On a new scope it is
 * about the active scope of this name directly below the same parent.
 */
export interface Condition {
  /** If true, the change is refused with `RecordExists` if there is one. */
  readonly mustNotExist?: boolean;
  /** If true, the change is refused with `RecordNotFound` unless there is one. */
  readonly mustExist?: boolean;
  /** The change is refused with `RevisionMismatch` unless it has this revision; 0 means that there is none. */
  readonly expectedRevision?: Revision;
}

/** At most one condition on the agent, without which a change is refused and changes nothing. */
export interface AgentCondition {
  /** If true, the change is refused with `AgentNotFound` unless the agent exists. */
  readonly mustExist?: boolean;
  /**
   * The change is refused with `RevisionMismatch` unless the agent has this revision, which is that of its last change.
   */
  readonly expectedRevision?: Revision;
}

type Precondition = MessageInitShape<typeof PreconditionSchema>;

type Content = Pick<
  Exclude<MessageInitShape<typeof SetEntryRequestSchema>, { $typeName: string }>,
  "content" | "typeName" | "type" | "importance" | "tags" | "metadata" | "userId" | "expiry"
>;

/**
 * Returns the value and its attributes as fields of a request.
 *
 * @throws UnsupportedValue
 */
export function contentOf(value: unknown, options: EntryOptions): Content {
  const { typeName, entryType, importance, tags, metadata, userId } = options;
  return {
    content: { case: "valueJson", value: Json.stringify(value) },
    ...(typeName !== undefined && { typeName }),
    ...(entryType !== undefined && { type: entryType }),
    ...(importance !== undefined && { importance }),
    ...(tags !== undefined && { tags: [...tags] }),
    ...(metadata !== undefined && { metadata }),
    ...(userId !== undefined && { userId }),
    expiry: expiryOf(options),
  };
}

/** The options of an entry, with the names of their fields in an update mask. */
const FIELDS = {
  typeName: "type_name",
  entryType: "type",
  importance: "importance",
  tags: "tags",
  metadata: "metadata",
  userId: "user_id",
  ttlMs: "expire_time",
  expireTime: "expire_time",
  expiryDays: "expire_time",
} as const satisfies Record<keyof EntryOptions, string>;

/** Returns the fields of an entry that the options give. */
export function givenFields(options: EntryOptions): string[] {
  return Object.entries(FIELDS).flatMap(([name, field]) =>
    options[name as keyof EntryOptions] === undefined ? [] : [field],
  );
}

/** Returns an object to spread into a request: the condition on a record as its field, or nothing. */
export function preconditionOf(condition: Condition): { precondition?: Precondition } {
  const precondition = messageOf(condition);
  return precondition ? { precondition } : {};
}

/** Returns an object to spread into a request: the condition on the agent as its field, or nothing. */
export function agentPreconditionOf(condition: AgentCondition): { agentPrecondition?: Precondition } {
  const agentPrecondition = messageOf(condition);
  return agentPrecondition ? { agentPrecondition } : {};
}

function messageOf({ mustNotExist, mustExist, expectedRevision }: Condition): Precondition | undefined {
  if ([mustNotExist, mustExist, expectedRevision !== undefined].filter(Boolean).length > 1) {
    throw new TypeError("mustNotExist, mustExist and expectedRevision exclude each other");
  }
  if (mustNotExist) {
    return { condition: { case: "mustNotExist", value: true } };
  }
  if (mustExist) {
    return { condition: { case: "mustExist", value: true } };
  }
  if (expectedRevision !== undefined) {
    return { condition: { case: "expectedRevision", value: BigInt(expectedRevision) } };
  }
  return undefined;
}

function expiryOf({ ttlMs, expireTime, expiryDays }: EntryOptions): NonNullable<Content["expiry"]> {
  if ([ttlMs, expireTime, expiryDays].filter((given) => given !== undefined).length > 1) {
    throw new TypeError("ttlMs, expireTime and expiryDays exclude each other");
  }
  if (expireTime) {
    return { case: "expireTime", value: timestampFromDate(expireTime) };
  }
  const ttl = expiryDays === undefined ? ttlMs : expiryDays * DAY_MS;
  return ttl === undefined ? { case: undefined } : { case: "ttl", value: durationFromMs(ttl) };
}
