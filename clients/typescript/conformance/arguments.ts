import {
  ScalarType,
  toJson,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { RecordView } from "memoryd/v1";
import type { Agent } from "../src/agent.js";

type Options = Record<string, unknown>;

/** How the wrapper of a method is called. */
export interface Wrapper {
  /** The property of the agent that has it, or undefined for the agent itself. */
  readonly kind?: keyof Agent;
  readonly method: string;
  /** The arguments before the options, of which the first ones are required. */
  readonly positional?: readonly string[];
  readonly required?: number;
  /** True if the fields that an update changes are an argument. */
  readonly changes?: boolean;
  /** The field of RecordFilter whose conditions are among the options. */
  readonly condition?: string;
}

/** The options of a wrapper cannot say a request, such as one for a certain page of a list. */
export class Unsayable extends Error {}

/** Returns the arguments with which a wrapper sends a request. Throws Unsayable if there are none. */
export function argumentsOf(desc: DescMessage, request: Message, wrapper: Wrapper, timeoutMs: number): unknown[] {
  // In JSON, the fields of oneofs are beside the others, as they are among options.
  const json = toJson(desc, request, { enumAsInteger: true }) as JsonObject;
  const { changes = {}, ...options } = optionsOf(desc, json, wrapper);
  const { positional = [] } = wrapper;
  const before = positional.map((name) => options[name]);
  for (const name of positional) {
    Reflect.deleteProperty(options, name);
  }
  if (before.slice(0, wrapper.required).includes(undefined)) {
    throw new Unsayable("a required argument is missing");
  }
  return [...before, ...(wrapper.changes ? [changes] : []), { ...options, timeoutMs }];
}

function optionsOf(desc: DescMessage, json: JsonObject, wrapper: Wrapper): Options {
  const options: Options = {};
  for (const [name, value] of Object.entries(json)) {
    switch (name) {
      case "agentId":
        break;
      case "pageSize":
      case "pageToken":
        throw new Unsayable("a wrapper has the records of all pages");
      case "precondition":
        add(options, conditionOf(value));
        break;
      case "agentPrecondition":
        add(options, desc.field.precondition ? { agentCondition: conditionOf(value) } : conditionOf(value));
        break;
      case "consistency":
        add(options, fieldsOf(fieldOf(desc, name), value));
        break;
      case "view":
        add(options, { content: contentOf(value) });
        break;
      case "updateMask":
        options.changes = changesOf(desc, value as string, json.draft ?? {});
        break;
      case "draft":
        if (!desc.field.updateMask) {
          add(options, fieldsOf(fieldOf(desc, name), value));
        } else if (json.updateMask === undefined) {
          throw new Unsayable("a draft of which nothing is taken");
        }
        break;
      case "filter":
        add(options, selectionOf(fieldOf(desc, name), value, wrapper));
        break;
      default:
        add(options, optionOf(fieldOf(desc, name), value));
    }
  }
  return options;
}

function add(options: Options, more: Options): void {
  if (Object.keys(more).length === 0) {
    throw new Unsayable("an empty message is the same as none");
  }
  for (const [name, value] of Object.entries(more)) {
    if (name in options) {
      throw new Unsayable(`${name} has two meanings`);
    }
    options[name] = value;
  }
}

function conditionOf(json: JsonValue): Options {
  const { mustExist, mustNotExist, expectedRevision } = json as JsonObject;
  if (mustExist === false || mustNotExist === false) {
    throw new Unsayable("a condition that is false");
  }
  return {
    ...(mustExist && { mustExist }),
    ...(mustNotExist && { mustNotExist }),
    ...(expectedRevision !== undefined && { expectedRevision: BigInt(expectedRevision as string) }),
  };
}

function contentOf(json: JsonValue): boolean {
  if (json !== RecordView.WITHOUT_CONTENT) {
    throw new Unsayable("a view that is the default");
  }
  return false;
}

function changesOf(desc: DescMessage, mask: string, draft: JsonValue): Options {
  const given = fieldsOf(fieldOf(desc, "draft"), draft);
  const changes: Options = {};
  for (const name of mask.split(",")) {
    const isExpiry = name === "expireTime" && given.ttlMs !== undefined;
    const option = isExpiry ? "ttlMs" : name;
    changes[option] = given[option] ?? emptyOf(fieldOf(messageOf(fieldOf(desc, "draft")), name));
    Reflect.deleteProperty(given, option);
  }
  if (Object.keys(given).length > 0) {
    throw new Unsayable("a field of the draft that is not changed");
  }
  return changes;
}

/** Returns the value of a field that is not set. */
function emptyOf(field: DescField): unknown {
  if (field.fieldKind === "list") {
    return [];
  }
  if (field.fieldKind === "message") {
    return null;
  }
  if (field.scalar !== ScalarType.STRING) {
    throw new Unsayable("a change to nothing");
  }
  return "";
}

function selectionOf(field: DescField, json: JsonValue, wrapper: Wrapper): Options {
  const selection = fieldsOf(field, json);
  for (const { localName } of field.message?.oneofs.find(({ name }) => name === "kind")?.fields ?? []) {
    const conditions = selection[localName];
    if (conditions !== undefined && localName !== wrapper.condition) {
      throw new Unsayable("conditions on another kind");
    }
    Reflect.deleteProperty(selection, localName);
    if (conditions !== undefined) {
      add(selection, conditions as Options);
    }
  }
  return selection;
}

function fieldsOf(field: DescField, json: JsonValue): Options {
  const message = messageOf(field);
  const options: Options = {};
  for (const [name, value] of Object.entries(json as JsonObject)) {
    Object.assign(options, optionOf(fieldOf(message, name), value));
  }
  return options;
}

function optionOf(field: DescField, json: JsonValue): Options {
  const name = field.message?.typeName === "google.protobuf.Duration" ? `${field.localName}Ms` : field.localName;
  const value =
    field.fieldKind === "list" ? (json as JsonValue[]).map((each) => valueOf(field, each)) : valueOf(field, json);
  return { [name]: value };
}

function valueOf(field: DescField, json: JsonValue): unknown {
  if (field.scalar === ScalarType.INT64) {
    return BigInt(json as string);
  }
  if (field.scalar === ScalarType.BYTES) {
    return Buffer.from(json as string, "base64");
  }
  if (field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT) {
    return Number(json); // "NaN" is a text in JSON
  }
  const { message } = field;
  switch (message?.typeName) {
    case undefined:
    case "google.protobuf.Struct":
    case "google.protobuf.Value":
    case "google.protobuf.ListValue":
      return json;
    case "google.protobuf.Timestamp":
      return dateOf(json as string);
    case "google.protobuf.Duration":
      return Number((json as string).slice(0, -1)) * 1_000;
  }
  return message?.fields.length === 0 ? true : fieldsOf(field, json);
}

function dateOf(json: string): Date {
  if (/\.\d{3}\d*[1-9]/.test(json)) {
    throw new Unsayable("a time between two milliseconds");
  }
  return new Date(json);
}

function messageOf({ name, message }: DescField): DescMessage {
  if (!message) {
    throw new Error(`${name} is no message`);
  }
  return message;
}

function fieldOf(desc: DescMessage, name: string): DescField {
  const field = desc.fields.find(({ jsonName }) => jsonName === name);
  if (!field) {
    throw new Unsayable(`there is no field ${name}`);
  }
  return field;
}
