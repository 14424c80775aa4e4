import assert from "node:assert/strict";
import { Cancelled, countsByKind, decode, InvalidResumeToken, type Watch } from "memoryd";
import { EventCause, EventType, RecordKind, WatchPhase, type EntryEvent, type Event } from "memoryd/v1";
import { live } from "./daemon.js";

/** Returns the next events that are wanted. */
async function take(watch: Watch, count: number, isWanted: (event: Event) => boolean = () => true): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of watch) {
    if (isWanted(event) && events.push(event) === count) {
      break;
    }
  }
  return events;
}

/** Returns the subjects of the next events about entries. */
async function takeEntries(watch: Watch, count: number): Promise<EntryEvent[]> {
  const events = await take(watch, count, ({ subject }) => subject.case === "entry");
  return events.flatMap(({ subject }) => (subject.case === "entry" ? [subject.value] : []));
}

/** Returns the keys of the next entries that have events. */
async function takeKeys(watch: Watch, count: number): Promise<string[]> {
  return (await takeEntries(watch, count)).map(({ key }) => key);
}

live("a watch misses no commit after its beginning", async (agent) => {
  await using watch = await agent.watch({ kinds: [RecordKind.ENTRY] });
  await agent.set("a", 1);
  await agent.remove("a");
  const events = await take(watch, 2);
  assert.deepEqual(
    events.map(({ revision, type, cause, subject }) => [
      revision,
      type,
      cause,
      subject.case === "entry" && [subject.value.key, decode(subject.value.entry)],
    ]),
    [
      [1n, EventType.ENTRY_SET, EventCause.REQUEST, ["a", 1]],
      [2n, EventType.ENTRY_REMOVED, EventCause.REQUEST, ["a", undefined]],
    ],
  );
});

live("a watch continues from the resume token of another", async (agent) => {
  const first = await agent.watch();
  await agent.set("a", 1);
  assert.deepEqual(await takeKeys(first, 1), ["a"]);
  await agent.set("b", 2);
  await using second = await agent.watch({ resumeToken: first.resumeToken });
  assert.deepEqual(await takeKeys(second, 1), ["b"]);
});

live("a watch begins after a revision, or with the existing state", async (agent) => {
  await agent.set("a", 1);
  await agent.set("b", 2);
  await using after = await agent.watch({ afterRevision: 1 });
  assert.deepEqual(await takeKeys(after, 1), ["b"]);
  await using initial = await agent.watch({ initialState: true });
  assert.equal(initial.initialStateComplete, false);
  const phases: unknown[] = [];
  for await (const { phase } of initial.messages()) {
    phases.push(phase);
    if (phase === WatchPhase.INITIAL_STATE_COMPLETE) {
      break;
    }
  }
  assert.deepEqual(phases, [WatchPhase.OPENED, WatchPhase.INITIAL_STATE, WatchPhase.INITIAL_STATE_COMPLETE]);
  assert.equal(initial.initialStateComplete, true);
  assert.equal(initial.revision, 2n);
});

live("a watch emits only the selected keys and types, without content if requested", async (agent) => {
  await using watch = await agent.watch({ keyPrefix: "a", eventTypes: [EventType.ENTRY_SET], content: false });
  await agent.batch().set("a1", 1).set("b1", 1).commit();
  await agent.remove("a1");
  await agent.set("a2", 2);
  const events = await takeEntries(watch, 2);
  assert.deepEqual(
    events.map(({ key, entry }) => [key, entry?.valueJson, decode(entry)]),
    [
      ["a1", "", undefined],
      ["a2", "", undefined],
    ],
  );
});

live("a watch emits only the selected kinds, causes and users", async (agent) => {
  await agent.set("before", 0);
  await using scopes = await agent.watch({ kinds: [RecordKind.SCOPE] });
  await using merges = await agent.watch({ causes: [EventCause.MERGE] });
  await using anns = await agent.watch({ userIds: ["ann"], kinds: [RecordKind.ENTRY] });
  await agent.set("bobs", 1, { userId: "bob" });
  await agent.withScope("task", (task) => task.set("anns", 1, { userId: "ann" }), { merge: "overwrite" });
  assert.deepEqual(
    (await take(scopes, 2)).map(({ kind, subject }) => [kind, subject.case]),
    [
      [RecordKind.SCOPE, "scope"],
      [RecordKind.SCOPE, "scope"],
    ],
  );
  const [merged] = await take(merges, 1);
  assert.equal(merged?.subject.case === "entry" && merged.subject.value.key, "anns");
  assert.deepEqual(
    (await takeEntries(anns, 2)).map(({ entry }) => entry?.userId),
    ["ann", "ann"],
  );
});

live("an event has the values before and after its change", async (agent) => {
  await using watch = await agent.watch({ previous: true, kinds: [RecordKind.ENTRY] });
  await agent.set("mood", "curious");
  await agent.set("mood", "tired");
  await agent.remove("mood");
  assert.deepEqual(
    (await take(watch, 3)).map(({ previousRevision, subject }) => [
      previousRevision,
      ...(subject.case === "entry" ? [decode(subject.value.previous), decode(subject.value.entry)] : []),
    ]),
    [
      [0n, undefined, "curious"],
      [1n, "curious", "tired"],
      [2n, "tired", undefined],
    ],
  );
});

live("the subject of an event is known by its case", async (agent) => {
  await using watch = await agent.watch();
  const task = await agent.scope("task");
  await task.set("k", 1);
  await task.clear();
  await agent.end();
  const isWanted = ({ subject }: Event): boolean => subject.case !== "agent" || subject.value.agent === undefined;
  assert.deepEqual((await take(watch, 4, isWanted)).map(described), [
    "scope task",
    "entry k",
    "cleared 1",
    "ended with 1",
  ]);
});

function described({ subject }: Event): string | undefined {
  switch (subject.case) {
    case "scope":
      return `scope ${subject.value.name}`;
    case "entry":
      return `entry ${subject.value.key}`;
    case "cleared":
      return `cleared ${countsByKind(subject.value.cleared).get(RecordKind.ENTRY) ?? 0}`;
    case "agent":
      return `ended with ${countsByKind(subject.value.cleared).get(RecordKind.SCOPE) ?? 0}`;
    default:
      return subject.case;
  }
}

live("the watch of a scope includes scopes below", async (agent) => {
  await using scope = await agent.scope("task");
  await using watch = await scope.watch();
  await agent.set("root", 1);
  await using inner = await scope.scope("inner");
  await inner.set("inner", 2);
  const events = await take(watch, 2);
  assert.deepEqual(
    events.map(({ type, subject }) => [
      type,
      subject.case === "scope" && subject.value.name,
      subject.case === "entry" && subject.value.scopeName,
    ]),
    [
      [EventType.SCOPE_CREATED, "inner", false],
      [EventType.ENTRY_SET, false, "inner"],
    ],
  );
});

live("a client watches many agents", async (agent, client) => {
  const other = client.agent(`${agent.agentId}-other`);
  await using watch = await client.watch([{ agentIds: [agent.agentId, other.agentId] }]);
  await agent.set("a", 1);
  await other.set("b", 2);
  const events = await take(watch, 2, ({ kind }) => kind === RecordKind.ENTRY);
  assert.deepEqual(events.map(({ agentId }) => agentId).sort(), [agent.agentId, other.agentId]);
});

live("closing a watch ends its iteration without an error", async (agent) => {
  const watch = await agent.watch();
  const listening = take(watch, 1);
  watch.close();
  assert.deepEqual(await listening, []);
  watch.close();
});

live("a signal ends a watch with an error", async (agent) => {
  const abort = new AbortController();
  await using watch = await agent.watch({ signal: abort.signal });
  const listening = assert.rejects(take(watch, 1), Cancelled);
  abort.abort();
  await listening;
  await assert.rejects(agent.watch({ signal: abort.signal }), Cancelled);
});

live("closing the client ends its watches with an error", async (agent, client) => {
  const listening = assert.rejects(take(await agent.watch(), 1), Cancelled);
  client.close();
  await listening;
});

live("a refused watch fails at its beginning", async (agent) => {
  await assert.rejects(agent.watch({ resumeToken: "damaged" }), InvalidResumeToken);
  await assert.rejects(agent.watch({ afterRevision: 1, initialState: true }), TypeError);
});
