import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { CacheFull } from "../../src/errors.js";
import { isReached, markAt, markOf } from "../../src/near-cache/mark.js";
import { Mirror } from "../../src/near-cache/mirror.js";
import { EventSchema, EventType, WatchPhase, type Event } from "../../src/v1.js";
import type { WatchMessage } from "../../src/watch-progress.js";

const NOW = Date.UTC(2026, 0, 1);

type Subject = MessageInitShape<typeof EventSchema>["subject"];

function event(type: EventType, subject: NonNullable<Subject>): Event {
  return create(EventSchema, { type, subject });
}

function entrySet(key: string, valueJson = "1", scopeId = "", expiresAt?: number): Event {
  const expiry = expiresAt === undefined ? {} : { expireTime: timestampFromMs(expiresAt) };
  const value = { scopeId, key, entry: { key, valueJson, scopeId, ...expiry } };
  return event(EventType.ENTRY_SET, { case: "entry", value });
}

function scopeCreated(scopeId: string, parentScopeId = ""): Event {
  return event(EventType.SCOPE_CREATED, { case: "scope", value: { scopeId, parentScopeId } });
}

function message(revision: bigint, ...events: Event[]): WatchMessage {
  return { phase: WatchPhase.LIVE, events, revision, resumeToken: "", revisionContinues: false };
}

function keysOf(mirror: Mirror, scopeId = "", inherited = false): string[] {
  return [...mirror.entries(scopeId, "", inherited)].map(({ key }) => key);
}

test("a commit is applied whole, also across two connections", () => {
  const mirror = new Mirror(10_000);
  mirror.apply({ ...message(1n, entrySet("a")), revisionContinues: true });
  mirror.apply({ ...message(0n), phase: WatchPhase.OPENED });
  assert.deepEqual([keysOf(mirror), mirror.revision], [[], 0n]);
  mirror.apply(message(1n, entrySet("b")));
  assert.deepEqual([keysOf(mirror), mirror.revision], [["a", "b"], 1n]);
});

test("an entry ends with its deadline, and what is behind it is found", () => {
  let now = NOW;
  const mirror = new Mirror(10_000, () => now);
  mirror.apply(message(1n, entrySet("k", '"root"'), scopeCreated("s"), entrySet("k", '"scope"', "s", NOW + 1)));
  assert.equal(mirror.find("s", "k", false)?.valueJson, '"scope"');
  now += 1;
  assert.equal(mirror.find("s", "k", false)?.valueJson, '"root"');
  assert.equal(mirror.find("s", "k", true), undefined);
  assert.deepEqual([keysOf(mirror, "s"), keysOf(mirror, "s", true)], [[], ["k"]]);
});

test("the memory of what is overwritten and removed is free again", () => {
  const mirror = new Mirror(5_000);
  for (let revision = 1n; revision < 20n; revision++) {
    mirror.apply(message(revision, entrySet("k", `"${"v".repeat(2_000)}"`)));
  }
  mirror.apply(message(20n, event(EventType.ENTRY_REMOVED, { case: "entry", value: { key: "k" } })));
  assert.equal(mirror.sizeBytes, 0);
  assert.throws(() => {
    mirror.apply(message(21n, entrySet("k", `"${"v".repeat(6_000)}"`)));
  }, CacheFull);
});

test("a disposed scope and cleared entries are gone with their memory", () => {
  const mirror = new Mirror(10_000);
  mirror.apply(message(1n, scopeCreated("s"), entrySet("k", "1", "s"), scopeCreated("unknown", "nowhere")));
  assert.deepEqual([mirror.has("s"), mirror.has("unknown")], [true, false]);
  mirror.apply(message(2n, event(EventType.SCOPE_DISPOSED, { case: "scope", value: { scopeId: "s" } })));
  assert.deepEqual([mirror.has("s"), mirror.sizeBytes], [false, 0]);
  mirror.apply(message(3n, entrySet("k")));
  mirror.apply(message(4n, event(EventType.ENTRIES_CLEARED, { case: "cleared", value: {} })));
  assert.deepEqual([keysOf(mirror), mirror.sizeBytes], [[], 0]);
});

test("a lower revision is of a later life also where no record is selected", () => {
  const mirror = new Mirror(10_000);
  mirror.apply({ ...message(50n), phase: WatchPhase.INITIAL_STATE_COMPLETE });
  const reached = [0n, 10n, 50n, 51n].map((revision) => isReached(markOf(revision, markAt(mirror)), mirror));
  assert.deepEqual(reached, [true, false, true, false]);
  mirror.apply(message(51n, event(EventType.AGENT_ENDED, { case: "agent", value: {} })));
  mirror.apply(message(51n));
  assert.equal(isReached(markOf(1n, markAt(mirror)), mirror), true);
  mirror.apply(message(60n));
  assert.equal(isReached(markOf(59n, markAt(mirror)), mirror), false);
});

test("a revision of a later life is not reached by an earlier one", () => {
  const mirror = new Mirror(10_000);
  mirror.apply(message(5n, entrySet("k")));
  const ended = markOf(0n, markAt(mirror));
  assert.deepEqual([isReached(ended, mirror), isReached({ revision: 5n, lives: 0 }, mirror)], [false, true]);
  mirror.apply(message(6n, event(EventType.AGENT_ENDED, { case: "agent", value: {} })));
  assert.deepEqual([isReached(ended, mirror), keysOf(mirror)], [true, []]);
  assert.equal(isReached(markOf(0n, markAt(mirror)), mirror), true);
  const revived = markOf(7n, markAt(mirror));
  assert.equal(isReached(revived, mirror), false);
  mirror.apply(message(7n, entrySet("k")));
  assert.equal(isReached(revived, mirror), true);
});
