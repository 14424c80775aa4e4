import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A step of a scenario. `error` has `code`, and may have `reason`, `metadata` and `field`. */
export type Step =
  | {
      kind: "call";
      name: string;
      request: JsonValue;
      response?: JsonValue;
      error?: JsonObject;
      save: Readonly<Record<string, string>>;
    }
  | { kind: "watch"; name: string; request: JsonValue; error?: JsonObject }
  | { kind: "events"; name: string; expect: JsonValue[] }
  | { kind: "repeat" | "tasks"; count: number; steps: Step[] };

const KEYS: Readonly<Record<Step["kind"], readonly string[]>> = {
  call: ["call", "request", "response", "error", "save"],
  watch: ["watch", "request", "error"],
  events: ["events", "expect"],
  repeat: ["repeat", "steps"],
  tasks: ["tasks", "steps"],
};

/** Returns the steps of a scenario file's content. Throws an Error for anything unknown. */
export function stepsOf(scenario: JsonValue): Step[] {
  const file = mapping(scenario, "a scenario");
  checkKeys(file, ["scenario", "rows", "steps"]);
  text(file.scenario);
  return sequence(file.steps, "steps").map(stepOf);
}

/** Returns the name of a step for messages. */
export function titleOf(step: Step): string {
  return `${step.kind} ${"name" in step ? step.name : step.count}`;
}

function stepOf(value: JsonValue): Step {
  const step = mapping(value, "a step");
  const kind = (Object.keys(KEYS) as Step["kind"][]).find((key) => key in step);
  if (kind === undefined) {
    throw new Error(`unknown step: ${Object.keys(step).join(", ")}`);
  }
  checkKeys(step, KEYS[kind]);
  const request = step.request === undefined ? {} : step.request;
  switch (kind) {
    case "call":
      return { kind, name: text(step[kind]), request, ...outcomeOf(step), save: savesOf(step.save ?? {}) };
    case "watch":
      return { kind, name: text(step[kind]), request, ...outcomeOf(step) };
    case "events":
      return { kind, name: text(step[kind]), expect: sequence(step.expect, "expect") };
    default:
      return { kind, count: Number(step[kind]), steps: sequence(step.steps, "steps").map(stepOf) };
  }
}

function outcomeOf(step: JsonObject): { response?: JsonValue; error?: JsonObject } {
  const { response, error } = step;
  if (error === undefined) {
    return response === undefined ? {} : { response };
  }
  if (response !== undefined) {
    throw new Error("a call has a response or an error");
  }
  const expected = mapping(error, "error");
  checkKeys(expected, ["code", "reason", "metadata", "field"]);
  if (!("code" in expected)) {
    throw new Error("an error has a code");
  }
  return { error: expected };
}

function savesOf(value: JsonValue): Record<string, string> {
  return Object.fromEntries(Object.entries(mapping(value, "save")).map(([name, path]) => [name, text(path)]));
}

function checkKeys(value: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new Error(`unknown key: ${unknown}`);
  }
}

function mapping(value: JsonValue, what: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`${what} must be a mapping`);
  }
  return value;
}

function sequence(value: JsonValue | undefined, what: string): JsonValue[] {
  if (!Array.isArray(value)) {
    throw new Error(`${what} must be a sequence`);
  }
  return value;
}

function text(value: JsonValue | undefined): string {
  if (typeof value !== "string") {
    throw new Error("names must be strings");
  }
  return value;
}
