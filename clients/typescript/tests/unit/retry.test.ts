import assert from "node:assert/strict";
import { test } from "node:test";
import { Aborted, Cancelled, Unavailable } from "../../src/errors.js";
import { Attempts, backoffMs, isRepeatable } from "../../src/retry.js";
import * as v1 from "../../src/v1.js";

const away = new Unavailable("away");

test("the wait doubles with each failure, up to two seconds", () => {
  const longest = Array.from({ length: 7 }, (_, index) => backoffMs(index + 1, undefined, () => 1));
  assert.deepEqual(longest, [100, 200, 400, 800, 1600, 2000, 2000]);
});

test("the jitter shortens the wait to no less than its half", () => {
  assert.equal(
    backoffMs(3, undefined, () => 0),
    200,
  );
});

test("the wait after very many failures does not overflow", () => {
  assert.equal(
    backoffMs(5_000, 5_000, () => 1),
    5_000,
  );
});

test("Unavailable and Cancelled are retried", () => {
  const attempts = new Attempts(true, 10_000);
  assert.ok(attempts.delayAfter(away) !== undefined);
  assert.ok(attempts.delayAfter(new Cancelled("stopping")) !== undefined);
});

test("other errors are not retried", () => {
  assert.equal(new Attempts(true, 10_000).delayAfter(new Aborted("no")), undefined);
});

test("a change without a request id is not tried again", () => {
  assert.equal(new Attempts(false, 10_000).delayAfter(away), undefined);
});

test("the wait is the retry delay of the daemon", () => {
  const attempts = new Attempts(true, 10_000);
  assert.equal(attempts.delayAfter(new Unavailable("away", { retryDelayMs: 1_234 })), 1_234);
});

test("there is no retry if the wait would pass the deadline", () => {
  let now = 0;
  const attempts = new Attempts(true, 1_000, () => now);
  const error = new Unavailable("away", { retryDelayMs: 600 });
  assert.equal(attempts.delayAfter(error), 600);
  now = 600;
  assert.equal(attempts.delayAfter(error), undefined);
});

test("all methods except streams may be retried", () => {
  const methods = Object.values(v1).flatMap((each) => ("kind" in each && each.kind === "service" ? each.methods : []));
  assert.ok(methods.length > 0);
  for (const method of methods) {
    assert.equal(isRepeatable(method), method.methodKind === "unary", method.name);
  }
});
