import { Json } from "../json.js";

/** A step of a path: `[0]`, `[-1]` or `[*]`, `{a,b}`, `*`, or the name of a field. */
const STEP = /\[[^\]]*\]|\{[^}]*\}|[^.[{]+/g;

/**
 * Returns the texts at a path of a value, such as `title`, `chapters[*].content`, `{title,author.name}` or `$`, the whole
 * value. What is no text is one as JSON; nothing is at a path that leads nowhere.
 */
export function textsAt(value: unknown, path: string): string[] {
  if (path === "" || path === "$") {
    return [Json.stringify(value)];
  }
  return textsBelow(value, path.match(STEP) ?? []);
}

function textsBelow(value: unknown, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) {
    return value === null || value === undefined ? [] : [typeof value === "string" ? value : Json.stringify(value)];
  }
  return valuesAt(value, step).flatMap((each) => textsBelow(each, rest));
}

function valuesAt(value: unknown, step: string): unknown[] {
  if (step.startsWith("[")) {
    if (!Array.isArray(value)) {
      return [];
    }
    const index = step.slice(1, -1);
    return index === "*" ? value : /^-?\d+$/.test(index) ? [value.at(Number(index))] : [];
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  if (step === "*") {
    return Object.values(value);
  }
  if (step.startsWith("{")) {
    const paths = step.slice(1, -1).split(",");
    return paths.flatMap((path) => textsAt(value, path.trim()));
  }
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : [];
}
