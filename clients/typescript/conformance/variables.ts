import type { JsonValue } from "@bufbuild/protobuf";

// These two are not variables: they are left as they are, for the comparison.
const WILDCARDS = ["${present}", "${absent}"];

/** The saved values of a scenario, by name. */
export class Variables {
  readonly #values: Map<string, string>;

  constructor(values: Iterable<readonly [string, string]>) {
    this.#values = new Map(values);
  }

  /** Returns a copy with one more variable. */
  with(name: string, value: string): Variables {
    return new Variables([...this.#values, [name, value]]);
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** Replaces each `${name}` in all strings. Throws an Error for an unknown name. */
  fill<T extends JsonValue>(value: T): T;
  fill(value: JsonValue): JsonValue {
    if (typeof value === "string") {
      return WILDCARDS.includes(value) ? value : this.#fillText(value);
    }
    if (Array.isArray(value)) {
      return value.map((item) => this.fill(item));
    }
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.#fillText(key), this.fill(item)]));
    }
    return value;
  }

  #fillText(text: string): string {
    return text.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
      const value = this.#values.get(name);
      if (value === undefined) {
        throw new Error(`unknown variable: ${name}`);
      }
      return value;
    });
  }
}

/** Returns the part of a message at a path of field names and indexes, such as `scopes.0.scope_id`. */
export function partAt(message: JsonValue, path: string): string {
  let part: JsonValue | undefined = message;
  for (const name of path.split(".")) {
    part = typeof part === "object" && part !== null ? (part as Record<string, JsonValue>)[name] : undefined;
  }
  if (part === undefined || part === null || typeof part === "object") {
    throw new Error(`nothing to save at ${path}`);
  }
  return String(part);
}
