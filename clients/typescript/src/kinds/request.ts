import {
  fromJson,
  ScalarType,
  type DescField,
  type DescMessage,
  type JsonValue,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { durationFromMs, ListValueSchema, timestampFromDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import { ListMessagesRequestSchema } from "#protos/memoryd/v1/conversation_service_pb";
import { RecordView } from "#protos/memoryd/v1/listing_pb";
import {
  BatchForgetMemoriesRequestSchema,
  ListMemoryLinksRequestSchema,
} from "#protos/memoryd/v1/long_term_memory_service_pb";
import { consistencyOf, type Consistency } from "../consistency.js";
import { agentPreconditionOf, preconditionOf, type AgentCondition, type Condition } from "../entry-options.js";
import { about, namesUser } from "../user.js";

/** The agent whose memory is used, and the user that it is bound to, if any. */
export interface Subject {
  readonly agentId: string;
  readonly userId: string | undefined;
}

/** What a request consists of besides the fields that are given by their names. */
export interface Given {
  /** The conditions on records that are options of the method, by their field of `RecordFilter`. */
  readonly kind?: string | undefined;
  /** The fields of the draft that an update changes. */
  readonly changes?: object;
}

type Init = Record<string, unknown>;
type Options = Condition & Consistency & { readonly agentCondition?: AgentCondition; readonly content?: boolean };

/** The options of all methods whose requests have a field, which are no fields themselves. */
const OPTIONS: Readonly<Record<string, string>> = {
  mustNotExist: "agentPrecondition",
  mustExist: "agentPrecondition",
  expectedRevision: "agentPrecondition",
  agentCondition: "precondition",
  minRevision: "consistency",
  maxStalenessMs: "consistency",
  content: "view",
};
/** The lists of a filter that may be empty, since a record has to meet all that they name, and not any. */
const CONJUNCTIONS = new Set(["allTags", "metadata", "noneOf"]);
/** The lists of a request that stand for all records if they are empty. */
const ALTERNATIVES = new Set(["memoryIds", "fragmentIds"]);
/** The messages that select records, also within filters. */
const SELECTING = /(Filter|Condition)$/;
const MILLISECONDS = "Ms";

/**
 * Returns the request of a method: its fields by their names, also those of its draft, of its filter and of the filter's
 * conditions on a kind. Times are `Date`, durations are milliseconds and end in "Ms", and of the fields of a oneof at most
 * one is given.
 *
 * @throws TypeError for a field that there is not, one that excludes another, and a list that would select nothing.
 */
export function requestOf<I extends DescMessage>(
  desc: I,
  subject: Subject,
  fields: object,
  { kind, changes }: Given,
): MessageInitShape<I> {
  const options = fields as Options;
  const request = new Target(desc, { ...(hasField(desc, "agentId") && { agentId: subject.agentId }) });
  if (hasField(desc, "precondition")) {
    request.assign(preconditionOf(options), agentPreconditionOf(options.agentCondition ?? {}));
  } else if (hasField(desc, "agentPrecondition")) {
    request.assign(agentPreconditionOf(options));
  }
  if (hasField(desc, "consistency")) {
    request.assign(consistencyOf(options));
  }
  if (hasField(desc, "view") && options.content === false) {
    request.assign({ view: RecordView.WITHOUT_CONTENT });
  }
  const targets = changes ? [request] : [request, ...inside(request, "draft")];
  const [filter] = inside(request, "filter");
  const conditions = filter && kind !== undefined ? inside(filter, kind) : [];
  const selecting = filter ? [filter, ...conditions] : [];
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    if (value === undefined || (option !== undefined && hasField(desc, option))) {
      continue;
    }
    const isSelection = selecting.some((target) => target.has(name)) && !targets.some((target) => target.has(name));
    if (isSelection || ALTERNATIVES.has(name)) {
      refuseEmpty(name, value);
    }
    if (![...targets, ...selecting].some((target) => target.set(name, value))) {
      throw new TypeError(`there is no option ${name}`);
    }
  }
  if (subject.userId !== undefined) {
    bindWritten(subject.userId, targets);
    if (filter && !isBound(request, selecting)) {
      filter.set("userIds", [subject.userId]);
    }
  }
  if (changes) {
    const [draft] = inside(request, "draft");
    const paths = draft ? changesOf(draft, changes) : [];
    request.assign(paths.length > 0 ? { updateMask: { paths } } : {});
  }
  return request.finish() as MessageInitShape<I>;
}

/** A message that is put together from fields by their names in this package. */
class Target {
  readonly #inner = new Map<DescField, Target>();

  constructor(
    readonly desc: DescMessage,
    readonly init: Init = {},
  ) {}

  has(name: string): boolean {
    return fieldNamed(this.desc, name) !== undefined;
  }

  /** Sets a field, and returns whether there is one of this name. */
  set(name: string, value: unknown): boolean {
    const field = fieldNamed(this.desc, name);
    if (field) {
      this.#put(field, valueOf(field, value));
    }
    return field !== undefined;
  }

  assign(...inits: object[]): void {
    Object.assign(this.init, ...inits);
  }

  /** Adds the message of a field, whose fields are set apart. */
  add(field: DescField & { message: DescMessage }): Target {
    const inner = new Target(field.message);
    this.#inner.set(field, inner);
    return inner;
  }

  /** Returns the whole message. A part of which no field was set is left out. */
  finish(): Init {
    for (const [field, inner] of this.#inner) {
      const init = inner.finish();
      if (Object.keys(init).length > 0) {
        this.#put(field, init);
      }
    }
    return this.init;
  }

  #put({ oneof, localName }: DescField, value: unknown): void {
    if (!oneof) {
      this.init[localName] = value;
      return;
    }
    const other = this.init[oneof.localName] as { case: string } | undefined;
    if (other) {
      throw new TypeError(`${other.case} and ${localName} exclude each other`);
    }
    this.init[oneof.localName] = { case: localName, value };
  }
}

function inside(target: Target, name: string): Target[] {
  const field = fieldNamed(target.desc, name);
  return field?.fieldKind === "message" ? [target.add(field)] : [];
}

/** Sets the user of what is written, unless the caller names another. */
function bindWritten(userId: string, targets: readonly Target[]): void {
  const written = targets.findLast((target) => target.has("userId"));
  const field = written?.desc.field.userId;
  if (written && field && !namesUser(field, written.init.userId)) {
    written.set("userId", userId);
  }
  const [request] = targets;
  const drafts = request && fieldNamed(request.desc, "drafts");
  // Messages, which have the user of their conversation, have none of their own.
  if (drafts?.message?.field.userId) {
    for (const draft of (request?.init.drafts ?? []) as Init[]) {
      draft.userId = about(userId, draft).userId;
    }
  }
}

/**
 * Returns whether it is settled whose records a request selects: by users that the caller names, or since it names the
 * records or what they belong to. The bound user would leave out those of a conversation without a user.
 */
function isBound({ desc, init }: Target, selecting: readonly Target[]): boolean {
  const given = selecting.flatMap((target) => Object.values(target.init)).some((each) => !isEmpty(each));
  const [filter] = selecting;
  if (filter && (filter.init.userIds !== undefined || filter.init.allUsers === true)) {
    return true;
  }
  switch (desc.typeName) {
    case BatchForgetMemoriesRequestSchema.typeName:
      // Without any condition, it would forget all that there is of the user.
      return init.memoryIds !== undefined || !given;
    case ListMemoryLinksRequestSchema.typeName:
      return init.memoryId !== undefined;
    default:
      return desc.typeName === ListMessagesRequestSchema.typeName;
  }
}

/** Sets the changed fields of a draft, and returns their paths. Null is a field without a value. */
function changesOf(draft: Target, changes: object): string[] {
  const paths = Object.entries(changes).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) {
      return [];
    }
    const field = fieldNamed(draft.desc, name);
    if (!field) {
      throw new TypeError(`there is no field ${name} to change`);
    }
    if (value !== null) {
      draft.set(name, value);
    }
    // The time to live is another way to say when a record expires.
    return [field.name === "ttl" ? "expire_time" : field.name];
  });
  return [...new Set(paths)];
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function refuseEmpty(name: string, value: unknown): void {
  if (isEmpty(value) && !CONJUNCTIONS.has(name)) {
    throw new TypeError(`${name} is empty, which selects nothing: leave it out to select all`);
  }
}

function hasField(desc: DescMessage, localName: string): boolean {
  return Object.hasOwn(desc.field, localName);
}

/** Returns the field of a name, that of a duration with "Ms" behind it. */
function fieldNamed(desc: DescMessage, name: string): DescField | undefined {
  if (hasField(desc, name)) {
    const field = desc.field[name];
    return field && isDuration(field) ? undefined : field;
  }
  const field = name.endsWith(MILLISECONDS) ? desc.field[name.slice(0, -MILLISECONDS.length)] : undefined;
  return field && isDuration(field) ? field : undefined;
}

function isDuration(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.Duration";
}

function valueOf(field: DescField, value: unknown): unknown {
  if (field.fieldKind !== "list") {
    return singleOf(field, value);
  }
  return Array.from(value as Iterable<unknown>, (each) => singleOf(field, each));
}

function singleOf({ scalar, message, name }: DescField, value: unknown): unknown {
  if (scalar === ScalarType.INT64) {
    return BigInt(value as bigint | number);
  }
  switch (message?.typeName) {
    case undefined:
      return value;
    case "google.protobuf.Timestamp":
      return timestampFromDate(value as Date);
    case "google.protobuf.Duration":
      return durationFromMs(value as number);
    case "google.protobuf.Struct":
      return value;
    case "google.protobuf.Value":
      return fromJson(ValueSchema, value as JsonValue);
    case "google.protobuf.ListValue":
      return fromJson(ListValueSchema, value as JsonValue);
  }
  if (!message) {
    return value;
  }
  if (message.fields.length === 0) {
    return {};
  }
  if (SELECTING.test(message.typeName)) {
    for (const [key, each] of Object.entries(value as object)) {
      refuseEmpty(key, each);
    }
  }
  return initOf(message, typeof value === "string" ? textOf(message, value) : (value as object), name);
}

/** Returns the fields of a message that a text stands for. */
function textOf(desc: DescMessage, text: string): object {
  return hasField(desc, "description") ? { description: text } : { content: text };
}

/** Returns a message that is a part of a request. */
function initOf(desc: DescMessage, fields: object, place: string): Init {
  const target = new Target(desc);
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (value !== undefined && !target.set(name, value)) {
      throw new TypeError(`there is no field ${name} in ${place}`);
    }
  }
  return target.init;
}
