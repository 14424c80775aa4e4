import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import * as v1 from "../../src/v1.js";

test("memoryd/v1 exports every generated file", async () => {
  const folder = new URL("../../protos/memoryd/v1/", import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith("_pb.js"));
  assert.notEqual(files.length, 0);
  for (const name of files) {
    const generated = (await import(new URL(name, folder).href)) as Record<string, unknown>;
    assert.deepEqual(
      Object.keys(generated).filter((exported) => !(exported in v1)),
      [],
      name,
    );
  }
});
