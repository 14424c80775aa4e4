import assert from "node:assert/strict";
import { test } from "node:test";
import { create, equals, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { ComposeContextRequestSchema } from "#protos/memoryd/v1/context_service_pb";
import { ListMessagesRequestSchema } from "#protos/memoryd/v1/conversation_service_pb";
import { AddEntitiesRequestSchema } from "#protos/memoryd/v1/entity_service_pb";
import { AcknowledgeFragmentsRequestSchema, CreateFragmentRequestSchema } from "#protos/memoryd/v1/fragment_service_pb";
import { ListOrder, RecordView } from "#protos/memoryd/v1/listing_pb";
import {
  BatchCreateMemoriesRequestSchema,
  BatchForgetMemoriesRequestSchema,
  CreateMemoryRequestSchema,
  GetMemoryRequestSchema,
  ListMemoryLinksRequestSchema,
  RecallMemoriesRequestSchema,
  UpdateMemoryRequestSchema,
} from "#protos/memoryd/v1/long_term_memory_service_pb";
import { CreateNoteRequestSchema, ListNotesRequestSchema } from "#protos/memoryd/v1/note_service_pb";
import { CreatePlanRequestSchema } from "#protos/memoryd/v1/plan_service_pb";
import { requestOf, type Given, type Subject } from "../../src/kinds/request.js";

const AGENT: Subject = { agentId: "a", userId: undefined };
const ADA: Subject = { agentId: "a", userId: "ada" };

function check<I extends DescMessage>(
  desc: I,
  options: object,
  expected: MessageInitShape<I>,
  { subject = AGENT, ...given }: Given & { subject?: Subject } = {},
): void {
  const request = create(desc, requestOf(desc, subject, options, given));
  assert.ok(
    equals(desc, request, create(desc, expected)),
    JSON.stringify(requestOf(desc, subject, options, given), big),
  );
}

function big(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

test("options are fields of the request and of its draft", () => {
  check(
    CreateNoteRequestSchema,
    { title: "t", content: "c", tags: new Set(["x"]), importance: undefined, requestId: "r" },
    { agentId: "a", requestId: "r", draft: { title: "t", content: "c", tags: ["x"] } },
  );
});

test("times are dates, and durations milliseconds", () => {
  check(
    CreateFragmentRequestSchema,
    { content: "c", ttlMs: 1_500, sources: [{ n: 1 }] },
    {
      agentId: "a",
      draft: { content: "c", sources: [{ n: 1 }], expiry: { case: "ttl", value: { seconds: 1n, nanos: 500_000_000 } } },
    },
  );
  const readTime = new Date(1_500);
  const time = { seconds: 1n, nanos: 500_000_000 };
  check(GetMemoryRequestSchema, { memoryId: "m", readTime }, { agentId: "a", memoryId: "m", readTime: time });
});

test("of the fields that exclude each other one is given", () => {
  const both = { content: "c", ttlMs: 1, expireTime: new Date() };
  assert.throws(() => requestOf(CreateMemoryRequestSchema, AGENT, both, {}), /ttl and expireTime exclude each other/);
});

test("an option that there is not is refused", () => {
  const wrong = { title: "t", contents: "c" };
  assert.throws(() => requestOf(CreateNoteRequestSchema, AGENT, wrong, {}), /there is no option contents/);
  const nested = { sections: [{ nots: {} }] };
  assert.throws(() => requestOf(ComposeContextRequestSchema, AGENT, nested, {}), /there is no field nots in sections/);
  const read = { title: "t", content: "c", minRevision: 1 };
  assert.throws(() => requestOf(CreateNoteRequestSchema, AGENT, read, {}), /there is no option minRevision/);
  assert.throws(
    () => requestOf(CreateNoteRequestSchema, AGENT, { constructor: 1 }, {}),
    /there is no option constructor/,
  );
});

test("conditions on records and those on a kind are the filter", () => {
  check(
    ListNotesRequestSchema,
    { allTags: ["x"], notebooks: ["work"], content: false, order: ListOrder.ID },
    {
      agentId: "a",
      view: RecordView.WITHOUT_CONTENT,
      order: ListOrder.ID,
      filter: { allTags: ["x"], kind: { case: "note", value: { notebooks: ["work"] } } },
    },
    { kind: "note" },
  );
  check(ListNotesRequestSchema, {}, { agentId: "a" }, { kind: "note" });
});

test("filters within filters have their conditions beside each other", () => {
  const anyOf = [{ memory: { types: [1] } }, { metadata: [{ path: "p", equals: "x" }] }];
  const { filter } = create(
    RecallMemoriesRequestSchema,
    requestOf(RecallMemoriesRequestSchema, AGENT, { query: "q", anyOf }, { kind: "memory" }),
  );
  assert.equal(filter?.anyOf[0]?.kind.case, "memory");
  const test = filter.anyOf[1]?.metadata[0]?.test;
  assert.equal(test?.case, "equals");
  assert.equal(test.value.kind.value, "x");
});

test("a selection of none is refused", () => {
  for (const name of ["userIds", "anyTags", "notebooks"]) {
    assert.throws(() => requestOf(ListNotesRequestSchema, AGENT, { [name]: [] }, { kind: "note" }), /selects nothing/);
  }
  check(ListNotesRequestSchema, { allTags: [], noneOf: [] }, { agentId: "a", filter: {} }, { kind: "note" });
  for (const inner of [{ anyTags: [] }, { note: { notebooks: [] } }, { metadata: [{ path: "p", anyOf: [] }] }]) {
    const options = { noneOf: [inner] };
    assert.throws(() => requestOf(ListNotesRequestSchema, AGENT, options, { kind: "note" }), /selects nothing/);
  }
});

test("the fields that are given are changed, and null clears one", () => {
  const changes = { content: "c", ttlMs: 1_000, tags: [], provenance: null, importance: undefined };
  check(
    UpdateMemoryRequestSchema,
    { memoryId: "m", expectedRevision: 3 },
    {
      agentId: "a",
      memoryId: "m",
      precondition: { condition: { case: "expectedRevision", value: 3n } },
      draft: { content: "c", expiry: { case: "ttl", value: { seconds: 1n } } },
      updateMask: { paths: ["content", "expire_time", "tags", "provenance"] },
    },
    { changes },
  );
  const wrong = { changes: { contents: "c" } };
  assert.throws(() => requestOf(UpdateMemoryRequestSchema, AGENT, {}, wrong), /there is no field contents to change/);
});

test("a condition on the agent is apart from one on the record", () => {
  const condition = { case: "expectedRevision", value: 3n } as const;
  check(
    CreatePlanRequestSchema,
    { goal: "g", mustNotExist: true, agentCondition: { expectedRevision: 3 } },
    {
      agentId: "a",
      draft: { goal: "g" },
      precondition: { condition: { case: "mustNotExist", value: true } },
      agentPrecondition: { condition },
    },
  );
  const draft = { title: "t", content: "c" };
  const onAgent = { ...draft, expectedRevision: 3n };
  check(CreateNoteRequestSchema, onAgent, { agentId: "a", draft, agentPrecondition: { condition } });
});

test("a text stands for a draft that needs nothing else", () => {
  check(
    CreatePlanRequestSchema,
    { goal: "g", steps: ["one", { description: "two", notes: "n" }] },
    { agentId: "a", draft: { goal: "g", steps: [{ description: "one" }, { description: "two", notes: "n" }] } },
  );
  check(
    ComposeContextRequestSchema,
    { sections: [{ text: "Be brief." }, { documents: { fullText: true } }], maxTokens: 100 },
    {
      agentId: "a",
      maxTokens: 100n,
      sections: [
        { source: { case: "text", value: { content: "Be brief." } } },
        { source: { case: "documents", value: { selection: { case: "fullText", value: {} } } } },
      ],
    },
  );
});

test("a list of ids that would stand for all is refused", () => {
  assert.throws(() => requestOf(BatchForgetMemoriesRequestSchema, ADA, { memoryIds: [] }, {}), /selects nothing/);
  const all = { leaseToken: "t", fragmentIds: [] };
  assert.throws(() => requestOf(AcknowledgeFragmentsRequestSchema, AGENT, all, {}), /selects nothing/);
});

test("the bound user does not select where the records are named, or nothing is", () => {
  const subject = ADA;
  check(BatchForgetMemoriesRequestSchema, {}, { agentId: "a" }, { subject, kind: "memory" });
  const none = { agentId: "a", filter: {} };
  check(BatchForgetMemoriesRequestSchema, { allTags: [] }, none, { subject, kind: "memory" });
  const memoryIds = ["m"];
  check(BatchForgetMemoriesRequestSchema, { memoryIds }, { agentId: "a", memoryIds }, { subject, kind: "memory" });
  const tagged = { allTags: ["x"] };
  const ofAda = { ...tagged, userIds: ["ada"] };
  check(BatchForgetMemoriesRequestSchema, tagged, { agentId: "a", filter: ofAda }, { subject, kind: "memory" });
  const conversationId = "c";
  check(ListMessagesRequestSchema, { conversationId }, { agentId: "a", conversationId }, { subject, kind: "message" });
  check(ListMemoryLinksRequestSchema, { memoryId: "m" }, { agentId: "a", memoryId: "m" }, { subject });
  check(ListMemoryLinksRequestSchema, {}, { agentId: "a", filter: { userIds: ["ada"] } }, { subject });
});

test("the bound user is that of drafts and selections that name none", () => {
  const subject = ADA;
  const draft = { title: "t", content: "c" };
  check(CreateNoteRequestSchema, draft, { agentId: "a", draft: { ...draft, userId: "ada" } }, { subject });
  const empty = { ...draft, userId: "" };
  check(CreateNoteRequestSchema, empty, { agentId: "a", draft: { ...draft, userId: "ada" } }, { subject });
  const nobody = { conversationId: "c", entities: [], userId: "" };
  check(AddEntitiesRequestSchema, nobody, { agentId: "a", ...nobody }, { subject });
  check(
    BatchCreateMemoriesRequestSchema,
    { drafts: ["x", { content: "y", userId: "bob" }] },
    {
      agentId: "a",
      drafts: [
        { content: "x", userId: "ada" },
        { content: "y", userId: "bob" },
      ],
    },
    { subject },
  );
  check(ListNotesRequestSchema, {}, { agentId: "a", filter: { userIds: ["ada"] } }, { subject, kind: "note" });
  check(ListNotesRequestSchema, { allUsers: true }, { agentId: "a", filter: { allUsers: true } }, { subject });
  check(ListNotesRequestSchema, { userIds: ["b"] }, { agentId: "a", filter: { userIds: ["b"] } }, { subject });
});
