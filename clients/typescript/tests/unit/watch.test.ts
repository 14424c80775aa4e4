import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import {
  EventCause,
  EventFilterSchema,
  EventService,
  EventType,
  RecordKind,
  RecordView,
  WatchEventsRequestSchema,
  WatchPhase,
  type WatchEventsRequest,
} from "../../src/v1.js";
import type { EventSelection, WatchOptions } from "../../src/watch.js";
import { FakeDaemon } from "./fake-daemon.js";

/** Returns the request of a watch of the agent "a" with these options. */
async function requestOf(options: EventSelection & WatchOptions): Promise<WatchEventsRequest | undefined> {
  let request: WatchEventsRequest | undefined;
  await using daemon = await FakeDaemon.routes((router) => {
    router.service(EventService, {
      // eslint-disable-next-line @typescript-eslint/require-await -- a stream of one message
      async *watchEvents(received) {
        request = received;
        yield { phase: WatchPhase.OPENED };
      },
    });
  });
  const watch = await daemon.client.agent("a").watch(options);
  watch.close();
  return request;
}

test("without options a watch requests all events of the agent with their content", async () => {
  const expected = { filters: [{ agentIds: ["a"] }], view: RecordView.FULL };
  assert.deepEqual(await requestOf({}), create(WatchEventsRequestSchema, expected));
});

test("a selection is the filter of the request", async () => {
  const selection = {
    keyPrefix: "u",
    eventTypes: [EventType.ENTRY_SET],
    kinds: [RecordKind.ENTRY],
    causes: [EventCause.REQUEST],
    conversationIds: ["c", ""],
    userIds: ["ann"],
  };
  const request = await requestOf(selection);
  const { conversationIds, userIds, ...own } = selection;
  const expected = { agentIds: ["a"], ...own, record: { conversationIds, userIds } };
  assert.deepEqual(request?.filters, [create(EventFilterSchema, expected)]);
});

test("options select how much events contain", async () => {
  const request = await requestOf({ content: false, previous: true });
  assert.deepEqual([request?.view, request?.includePrevious], [RecordView.WITHOUT_CONTENT, true]);
});

test("a selection of nothing, and one that is made twice, are refused", async () => {
  await assert.rejects(requestOf({ eventTypes: [] }), TypeError);
  await assert.rejects(requestOf({ userIds: ["ann"], record: { userIds: ["bob"] } }), TypeError);
  await assert.rejects(requestOf({ userIds: ["ann"], record: { allUsers: true } }), TypeError);
});
