import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { NotFound, Unavailable } from "../../src/errors.js";
import { WatchEventsRequestSchema, WatchEventsResponseSchema, WatchPhase } from "../../src/v1.js";
import { RESTARTED, WatchProgress } from "../../src/watch-progress.js";

type Start = NonNullable<Extract<MessageInitShape<typeof WatchEventsRequestSchema>, { start?: unknown }>["start"]>;

const away = new Unavailable("away");

class Clock {
  now = 0;
  readonly read = (): number => this.now;
}

function begin(start: Start = { case: undefined }, clock = new Clock()): WatchProgress {
  const request = create(WatchEventsRequestSchema, { start });
  return new WatchProgress(request, { connectTimeoutMs: 5_000, outageMaxMs: 300_000 }, clock.read);
}

function message(phase: WatchPhase, resumeToken = "", origins: readonly string[] = []) {
  return create(WatchEventsResponseSchema, { phase, resumeToken, events: origins.map((origin) => ({ origin })) });
}

test("a watch continues after the last received message", () => {
  const progress = begin();
  assert.equal(progress.request().start.case, undefined);
  progress.receive(message(WatchPhase.OPENED, "t1"));
  progress.receive(message(WatchPhase.LIVE, "t2", ["a"]));
  assert.deepEqual(progress.request().start, { case: "resumeToken", value: "t2" });
});

test("the resume token advances with the last event of a message", () => {
  const progress = begin({ case: "resumeToken", value: "t0" });
  const tokens: string[] = [];
  for (const event of progress.deliver(progress.receive(message(WatchPhase.LIVE, "t1", ["a", "b", "c"])))) {
    tokens.push(`${event.origin}:${progress.resumeToken}`);
  }
  assert.deepEqual(tokens, ["a:t0", "b:t0", "c:t1"]);
});

test("the resume token advances with a message without events", () => {
  const progress = begin();
  assert.deepEqual([...progress.deliver(progress.receive(message(WatchPhase.PROGRESS, "t1")))], []);
  assert.equal(progress.resumeToken, "t1");
});

test("a token from within the initial state is not used", () => {
  const progress = begin({ case: "includeInitialState", value: true });
  const opened = progress.receive(message(WatchPhase.OPENED, "early"));
  progress.delivered(opened);
  assert.equal(progress.resumeToken, "");
  assert.equal(progress.request().start.case, "includeInitialState");
});

test("a lost connection restarts an incomplete initial state", () => {
  const progress = begin({ case: "includeInitialState", value: true });
  progress.receive(message(WatchPhase.OPENED));
  assert.equal(progress.restart(), undefined);
  progress.receive(message(WatchPhase.INITIAL_STATE, "", ["a"]));
  assert.equal(progress.restart()?.phase, RESTARTED);
  assert.equal(progress.restart(), undefined);
});

test("a complete initial state is not restarted", () => {
  const progress = begin({ case: "includeInitialState", value: true });
  progress.receive(message(WatchPhase.INITIAL_STATE, "", ["a"]));
  progress.receive(message(WatchPhase.INITIAL_STATE_COMPLETE, "t1"));
  assert.equal(progress.initialStateComplete, true);
  assert.equal(progress.restart(), undefined);
  assert.deepEqual(progress.request().start, { case: "resumeToken", value: "t1" });
});

test("a watch that never opened gives up after the connect timeout", () => {
  const clock = new Clock();
  const progress = begin(undefined, clock);
  assert.ok(progress.lose(away) <= 100);
  clock.now = 4_999;
  assert.throws(() => progress.lose(away), away);
});

test("an open watch gives up after the maximum outage", () => {
  const clock = new Clock();
  const progress = begin(undefined, clock);
  progress.receive(message(WatchPhase.OPENED, "t1"));
  clock.now = 1_000_000;
  progress.lose(away);
  clock.now += 299_000;
  assert.ok(progress.lose(away) <= 200);
  clock.now += 999;
  assert.throws(() => progress.lose(away), away);
});

test("a message resets the waits and the maximum outage", () => {
  const clock = new Clock();
  const progress = begin(undefined, clock);
  for (let outage = 0; outage < 3; outage++) {
    progress.receive(message(WatchPhase.OPENED, "t1"));
    assert.ok(progress.lose(away) <= 100);
    clock.now += 299_000;
  }
  assert.equal(progress.resumes, 2);
});

test("the wait is the retry delay of the daemon if it is the longer one", () => {
  const progress = begin();
  assert.equal(progress.lose(new Unavailable("draining", { retryDelayMs: 2_000 })), 2_000);
  assert.ok(progress.lose(new Unavailable("draining", { retryDelayMs: 1 })) >= 100);
});

test("any other error ends the watch at once", () => {
  const gone = new NotFound("gone");
  assert.throws(() => begin().lose(gone), gone);
});
