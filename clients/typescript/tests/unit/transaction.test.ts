import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toJson, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { AlreadyExists, InternalError, UnsupportedValue } from "../../src/errors.js";
import {
  CommitRequestSchema,
  EntryType,
  NoteDraftSchema,
  TransactionService,
  type CommitRequest,
  type CommitResponseSchema,
} from "../../src/v1.js";
import { FakeDaemon } from "./fake-daemon.js";

type Response = MessageInitShape<typeof CommitResponseSchema>;

/** Returns a daemon that records the commits, and answers them with these responses or errors. */
async function committing(commits: CommitRequest[], ...answers: readonly (Response | ConnectError)[]) {
  return FakeDaemon.routes((router) =>
    router.rpc(TransactionService.method.commit, (request) => {
      const answer = answers[commits.push(request) - 1] ?? { revision: 1n };
      if (answer instanceof ConnectError) {
        throw answer;
      }
      return answer;
    }),
  );
}

test("a transaction sends its changes in their order", async () => {
  const commits: CommitRequest[] = [];
  await using daemon = await committing(commits);
  const tx = daemon.client.agent("a").transaction();
  tx.set("k", 1, { tags: ["x"], expectedRevision: 7 });
  tx.getOrSet("d", "v", { entryType: EntryType.INSIGHT, localOnly: true });
  tx.remove("k", { mustExist: true });
  tx.clear();
  tx.scope("task", { userId: "ann", mustNotExist: true });
  const scope = tx.attach("s");
  scope.set("k", 2);
  scope.scope("step");
  scope.merge({ overwrite: false });
  scope.dispose();
  tx.add("deleteNote", { noteId: "n" });
  assert.equal(tx.length, 10);
  // The response of the daemon has no results.
  await assert.rejects(tx.commit({ expectedRevision: 3, requestId: "r" }), InternalError);
  assert.deepEqual(commits.map((request) => toJson(CommitRequestSchema, request)).pop(), {
    agentId: "a",
    requestId: "r",
    agentPrecondition: { expectedRevision: "3" },
    writes: [
      { setEntry: { key: "k", valueJson: "1", tags: ["x"], precondition: { expectedRevision: "7" } } },
      { getOrSetEntry: { key: "d", valueJson: '"v"', type: "ENTRY_TYPE_INSIGHT", localOnly: true } },
      { removeEntry: { key: "k", precondition: { mustExist: true } } },
      { clearEntries: {} },
      { createScope: { name: "task", userId: "ann", precondition: { mustNotExist: true } } },
      { setEntry: { scopeId: "s", key: "k", valueJson: "2" } },
      { createScope: { name: "step", parentScopeId: "s" } },
      { mergeScope: { scopeId: "s", overwrite: false, dispose: true } },
      { disposeScope: { scopeId: "s" } },
      { deleteNote: { noteId: "n" } },
    ],
  });
});

test("the results are there after the commit", async () => {
  await using daemon = await committing([], {
    revision: 3n,
    results: [
      { result: { case: "setEntry", value: { created: true } } },
      { result: { case: "removeEntry", value: { deleted: true } } },
      { result: { case: "createScope", value: { scope: { scopeId: "s" } } } },
      { result: { case: "createNote", value: { note: { noteId: "n" } } } },
    ],
  });
  const tx = daemon.client.agent("a").transaction();
  const stored = tx.set("k", 1);
  const removed = tx.remove("j");
  const scope = tx.scope("task");
  const note = tx.add("createNote", { draft: { title: "Ada" } });
  assert.equal(stored.committed, false);
  assert.throws(() => stored.result, /not committed/);
  assert.equal(await tx.commit(), 3n);
  assert.equal(stored.committed, true);
  assert.equal(stored.result.created, true);
  assert.equal(removed.result, true);
  assert.deepEqual([scope.result.agentId, scope.result.scopeId], ["a", "s"]);
  assert.equal(note.result.note?.noteId, "n");
});

test("an empty transaction is not sent", async () => {
  const commits: CommitRequest[] = [];
  await using daemon = await committing(commits);
  assert.equal(await daemon.client.agent("a").transaction().commit({ expectedRevision: 7 }), 0n);
  assert.equal(commits.length, 0);
});

test("a value that JSON cannot represent is refused at once, and is no part of the transaction", async () => {
  await using daemon = await committing([]);
  const tx = daemon.client.agent("a").transaction();
  assert.throws(() => tx.set("k", NaN), UnsupportedValue);
  assert.throws(() => tx.getOrSet("k", () => 1), UnsupportedValue);
  assert.equal(tx.length, 0);
});

test("a transaction is sent again with its request id, by itself and by its caller", async () => {
  const commits: CommitRequest[] = [];
  const away = new ConnectError("away", Code.Unavailable);
  const answer: Response = { revision: 1n, results: [{ result: { case: "removeEntry", value: {} } }] };
  await using daemon = await committing(commits, away, new ConnectError("no", Code.Aborted), answer);
  const tx = daemon.client.agent("a").transaction();
  const removed = tx.remove("k");
  await assert.rejects(tx.commit());
  assert.equal(await tx.commit(), 1n);
  assert.equal(removed.result, false);
  assert.equal(commits.length, 3);
  assert.equal(new Set(commits.map(({ requestId }) => requestId)).size, 1);
  assert.match(commits[0]?.requestId ?? "", /^[0-9a-f]{32}$/);
});

test("a committed transaction takes no more changes", async () => {
  await using daemon = await committing([], {
    revision: 1n,
    results: [{ result: { case: "clearEntries", value: {} } }],
  });
  const tx = daemon.client.agent("a").transaction();
  tx.clear();
  await tx.commit();
  assert.throws(() => tx.clear(), /is committed/);
  await assert.rejects(tx.commit(), /is committed/);
});

test("a refused transaction has no results", async () => {
  await using daemon = await committing([], new ConnectError("no", Code.AlreadyExists));
  const tx = daemon.client.agent("a").transaction();
  const stored = tx.set("k", 1);
  await assert.rejects(tx.commit(), AlreadyExists);
  assert.equal(stored.committed, false);
});

test("a request may be used again after it was added", async () => {
  const commits: CommitRequest[] = [];
  await using daemon = await committing(commits);
  const draft = create(NoteDraftSchema, { title: "one", tags: ["x"] });
  const tx = daemon.client.agent("a").transaction();
  tx.add("createNote", { draft });
  draft.title = "two";
  draft.tags.push("y");
  await assert.rejects(tx.commit(), InternalError);
  const written = commits[0]?.writes[0]?.write;
  assert.equal(written?.case, "createNote");
  assert.deepEqual([written.value.draft?.title, written.value.draft?.tags], ["one", ["x"]]);
});

test("what a transaction writes is about the bound user, unless a request names another", async () => {
  const commits: CommitRequest[] = [];
  await using daemon = await committing(commits);
  const tx = daemon.client.agent("a").user("ada").transaction();
  tx.set("k", 1);
  tx.set("k", 2, { userId: "" });
  tx.attach("s").set("k", 3, { userId: "bob" });
  tx.scope("task");
  tx.remove("k");
  tx.add("createNote", { draft: { title: "t" } });
  tx.add("updateNote", { noteId: "n", draft: { title: "t" }, updateMask: { paths: ["title"] } });
  tx.add("batchCreateMemories", { drafts: [{ content: "x" }, { content: "y", userId: "bob" }] });
  tx.add("appendMessages", { conversationId: "c", drafts: [{ content: "x" }] });
  tx.add("addEntities", { conversationId: "c", userId: "" });
  tx.add("addEntities", { conversationId: "c" });
  await assert.rejects(tx.commit(), InternalError);
  const { writes } = toJson(CommitRequestSchema, commits[0] ?? assert.fail()) as { writes: unknown[] };
  assert.deepEqual(writes, [
    { setEntry: { key: "k", valueJson: "1", userId: "ada" } },
    { setEntry: { key: "k", valueJson: "2", userId: "ada" } },
    { setEntry: { scopeId: "s", key: "k", valueJson: "3", userId: "bob" } },
    { createScope: { name: "task", userId: "ada" } },
    { removeEntry: { key: "k" } },
    { createNote: { draft: { title: "t", userId: "ada" } } },
    { updateNote: { noteId: "n", draft: { title: "t" }, updateMask: "title" } },
    {
      batchCreateMemories: {
        drafts: [
          { content: "x", userId: "ada" },
          { content: "y", userId: "bob" },
        ],
      },
    },
    { appendMessages: { conversationId: "c", drafts: [{ content: "x" }] } },
    { addEntities: { conversationId: "c", userId: "" } },
    { addEntities: { conversationId: "c", userId: "ada" } },
  ]);
});
