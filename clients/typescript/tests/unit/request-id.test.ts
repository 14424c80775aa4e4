import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { withRequestId } from "../../src/request-id.js";
import * as v1 from "../../src/v1.js";

function requestIdOf(message: object): string {
  return (message as v1.SetEntryRequest).requestId;
}

test("a change gets an id of 128 bits, and another one each time", () => {
  const request = create(v1.SetEntryRequestSchema, { key: "k" });
  const ids = [1, 2].map(() => requestIdOf(withRequestId(v1.SetEntryRequestSchema, request)));
  assert.match(ids[0] ?? "", /^[0-9a-f]{32}$/);
  assert.notEqual(ids[0], ids[1]);
});

test("the caller's message and the caller's own id are not changed", () => {
  const request = create(v1.SetEntryRequestSchema, { key: "k" });
  withRequestId(v1.SetEntryRequestSchema, request);
  assert.equal(request.requestId, "");
  request.requestId = "mine";
  assert.equal(requestIdOf(withRequestId(v1.SetEntryRequestSchema, request)), "mine");
});

test("a read gets no id", () => {
  const request = create(v1.GetEntryRequestSchema, { key: "k" });
  assert.equal(withRequestId(v1.GetEntryRequestSchema, request), request);
});
