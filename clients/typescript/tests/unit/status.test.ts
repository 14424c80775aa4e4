import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "#protos/google/rpc/error_details_pb";
import { ErrorReasonSchema } from "../../src/v1.js";
import * as errors from "../../src/errors.js";
import { errorFrom, mayPass } from "../../src/status.js";

const TARGET = "127.0.0.1:7600";

function refusal(code: Code, reason: string, metadata: Record<string, string> = {}): ConnectError {
  const failure = new ConnectError("no", code, { "grpc-status": String(code) });
  failure.details.push({ desc: ErrorInfoSchema, value: { reason, domain: "memoryd", metadata } });
  return failure;
}

test("every reason of the daemon has an error of its own or of its status code", () => {
  const generic = errorFrom(refusal(Code.Unknown, "ERROR_REASON_OF_A_LATER_DAEMON"), TARGET);
  assert.equal(generic.constructor, errors.InternalError);
  for (const { name } of ErrorReasonSchema.values) {
    if (name !== "ERROR_REASON_UNSPECIFIED" && name !== "ERROR_REASON_INTERNAL") {
      const error = errorFrom(refusal(Code.Unknown, name), TARGET);
      assert.notEqual(error.constructor, errors.InternalError, name);
      assert.equal(error.reason, name);
    }
  }
});

test("a reason takes precedence over the status code", () => {
  const error = errorFrom(refusal(Code.Aborted, "ERROR_REASON_RESERVATION_LOST", { key: "k" }), TARGET);
  assert.ok(error instanceof errors.ReservationLost);
  assert.ok(error instanceof errors.Aborted);
  assert.equal(error.name, "ReservationLost");
  assert.equal(error.code, "ABORTED");
  assert.deepEqual(error.metadata, { key: "k" });
});

test("the error of an unknown reason is that of the status code", () => {
  const error = errorFrom(refusal(Code.NotFound, "ERROR_REASON_OF_A_LATER_DAEMON"), TARGET);
  assert.equal(error.constructor, errors.NotFound);
  assert.equal(error.reason, "ERROR_REASON_OF_A_LATER_DAEMON");
});

test("a reason of another domain is ignored", () => {
  const failure = new ConnectError("no", Code.NotFound, { "grpc-status": "5" });
  const value = { reason: "ERROR_REASON_AGENT_NOT_FOUND", domain: "elsewhere" };
  failure.details.push({ desc: ErrorInfoSchema, value });
  assert.equal(errorFrom(failure, TARGET).constructor, errors.NotFound);
});

test("numbers among the metadata are bigints", () => {
  const metadata = { expected_revision: "7", actual_revision: "9007199254740993" };
  const error = errorFrom(refusal(Code.Aborted, "ERROR_REASON_REVISION_MISMATCH", metadata), TARGET);
  assert.ok(error instanceof errors.RevisionMismatch);
  assert.equal(error.expectedRevision, 7n);
  assert.equal(error.actualRevision, 9007199254740993n);
});

test("the oldest time is rounded up", () => {
  const metadata = { oldest_time: "2023-11-14T22:13:20.000001Z" };
  const error = errorFrom(refusal(Code.OutOfRange, "ERROR_REASON_HISTORY_COMPACTED", metadata), TARGET);
  assert.ok(error instanceof errors.HistoryCompacted);
  assert.deepEqual(error.oldestTime, new Date(1_700_000_000_001));
  assert.equal(new errors.HistoryCompacted("gone").oldestTime, undefined);
});

test("a record is named by its kind and its id", () => {
  const metadata = { agent_id: "a", kind: "entry", record_id: "plan", revision: "7" };
  const exists = errorFrom(refusal(Code.AlreadyExists, "ERROR_REASON_RECORD_EXISTS", metadata), TARGET);
  assert.ok(exists instanceof errors.RecordExists);
  assert.deepEqual([exists.kind, exists.recordId, exists.revision], ["entry", "plan", 7n]);
  const missing = errorFrom(refusal(Code.NotFound, "ERROR_REASON_RECORD_NOT_FOUND", metadata), TARGET);
  assert.ok(missing instanceof errors.RecordNotFound);
  assert.deepEqual([missing.kind, missing.recordId], ["entry", "plan"]);
});

test("only an overload may pass of the limits that are exceeded", () => {
  const metadata = { limit: "l", value: "3" };
  const overloaded = errorFrom(refusal(Code.ResourceExhausted, "ERROR_REASON_OVERLOADED", metadata), TARGET);
  const exceeded = errorFrom(refusal(Code.ResourceExhausted, "ERROR_REASON_QUOTA_EXCEEDED", metadata), TARGET);
  const large = errorFrom(refusal(Code.ResourceExhausted, "ERROR_REASON_TOO_LARGE", metadata), TARGET);
  assert.ok(overloaded instanceof errors.Overloaded);
  assert.ok(exceeded instanceof errors.QuotaExceeded);
  assert.ok(large instanceof errors.TooLarge);
  for (const error of [overloaded, exceeded, large]) {
    assert.deepEqual([error.limit, error.value], ["l", 3n]);
    assert.equal(mayPass(error), error === overloaded);
  }
});

test("an error has the invalid fields and the retry delay", () => {
  const failure = refusal(Code.Unavailable, "ERROR_REASON_DRAINING");
  failure.details.push(
    { desc: RetryInfoSchema, value: create(RetryInfoSchema, { retryDelay: durationFromMs(1_500) }) },
    { desc: BadRequestSchema, value: { fieldViolations: [{ field: "key", description: "must not be blank" }] } },
  );
  const error = errorFrom(failure, TARGET);
  assert.ok(error instanceof errors.Draining);
  assert.equal(error.retryDelayMs, 1_500);
  assert.deepEqual(error.fields, { key: "must not be blank" });
});

test("a broken connection is Unavailable, whatever the transport's code", () => {
  const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  const failures = [
    new ConnectError("aborted", Code.Aborted, undefined, undefined, reset),
    new ConnectError("internal", Code.Internal, undefined, undefined, reset),
    new ConnectError("http/2 stream closed with error code CANCEL (0x8)", Code.Canceled),
  ];
  for (const failure of failures) {
    const error = errorFrom(failure, TARGET);
    assert.ok(error instanceof errors.Unavailable);
    assert.match(error.message, /127\.0\.0\.1:7600/);
    assert.ok(mayPass(error));
  }
});

test("Cancelled from the daemon is Cancelled", () => {
  const error = errorFrom(new ConnectError("bye", Code.Canceled, { "grpc-status": "1" }), TARGET);
  assert.ok(error instanceof errors.Cancelled);
  assert.ok(mayPass(error));
});
