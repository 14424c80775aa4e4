import type { JsonValue } from "@bufbuild/protobuf";
import { parseDocument, Scalar, visit } from "yaml";

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const CONSTANTS: ReadonlyMap<string, JsonValue> = new Map([
  ["null", null],
  ["true", true],
  ["false", false],
]);

/** Parses YAML that contains only what JSON can represent. Throws an Error for anything else. */
export function parseYaml(text: string): JsonValue {
  // In this schema each scalar is a string. The plain ones are parsed as JSON below.
  const document = parseDocument(text, { schema: "failsafe", uniqueKeys: true });
  const problem = [...document.errors, ...document.warnings][0];
  if (problem) {
    throw problem;
  }
  visit(document, {
    Scalar(key, node) {
      if (key !== "key" && node.type === Scalar.PLAIN && typeof node.value === "string") {
        node.value = plainValue(node.value);
      }
    },
    Alias() {
      throw new Error("anchors are not allowed");
    },
  });
  return document.toJS() as JsonValue;
}

function plainValue(text: string): JsonValue {
  const constant = CONSTANTS.get(text);
  if (constant !== undefined) {
    return constant;
  }
  return JSON_NUMBER.test(text) ? Number(text) : text;
}
