import assert from "node:assert/strict";
import { MemorydError, RecordExists, RevisionMismatch, ScopeDisposed, type Agent, type Client } from "memoryd";
import { NoteService } from "memoryd/v1";
import { live } from "./daemon.js";

async function notesOf(agent: Agent, client: Client) {
  return (await client.stub(NoteService).listNotes({ agentId: agent.agentId })).notes;
}

live("a transaction makes changes of all kinds at one revision", async (agent, client) => {
  const task = await agent.scope("task");
  await task.set("found", 42);
  const tx = agent.transaction();
  const stored = tx.set("done", true);
  const given = tx.getOrSet("mood", "curious");
  const kept = tx.getOrSet("done", false);
  const removed = tx.remove("nothing");
  const merged = tx.attach(task.scopeId).merge();
  const scope = tx.scope("next");
  const note = tx.add("createNote", { draft: { title: "Ada", content: "lives in Lisbon" } });
  const revision = await tx.commit();
  assert.deepEqual(
    [stored.result.created, given.result.created, kept.result.created, removed.result, merged.result],
    [true, true, false, false, 1],
  );
  assert.deepEqual([note.result.note?.revision, note.result.note?.content], [revision, ""]);
  assert.deepEqual([...(await agent.getMany(["done", "mood", "found"])).values()], [true, "curious", 42]);
  await scope.result.set("k", 1);
  assert.deepEqual(
    (await notesOf(agent, client)).map(({ noteId }) => noteId),
    [note.result.note?.noteId],
  );
  await assert.rejects(task.get("found"), ScopeDisposed);
});

live("a refused change refuses all and is named", async (agent, client) => {
  await agent.set("k", 1);
  const tx = agent.transaction();
  tx.add("createNote", { draft: { title: "Ada", content: "Text" } });
  tx.set("k", 2, { mustNotExist: true });
  await assert.rejects(tx.commit(), (error) => error instanceof RecordExists && error.writeIndex === 1);
  assert.equal(await agent.get("k"), 1);
  assert.deepEqual(await notesOf(agent, client), []);
});

live("a transaction is repeated by its request id", async (agent, client) => {
  for (let attempt = 0; attempt < 2; attempt++) {
    const tx = agent.transaction();
    const note = tx.add("createNote", { draft: { title: "Ada", content: "Text" } });
    assert.equal(await tx.commit({ requestId: "r" }), 1n);
    const [stored] = await notesOf(agent, client);
    assert.equal(note.result.note?.noteId, stored?.noteId);
  }
  assert.equal((await notesOf(agent, client)).length, 1);
});

live("a condition of a transaction is about the agent", async (agent) => {
  const { revision: expectedRevision } = await agent.set("k", 1);
  const first = agent.transaction();
  first.set("k", 2);
  await first.commit({ expectedRevision });
  const second = agent.transaction();
  second.set("k", 3);
  await assert.rejects(second.commit({ expectedRevision }), (error) => {
    assert.ok(error instanceof MemorydError);
    assert.ok(error instanceof RevisionMismatch);
    assert.equal(error.writeIndex, undefined);
    return true;
  });
  assert.equal(await agent.get("k"), 2);
});

live("transactions of several writers lose nothing", async (agent, client) => {
  const increment = async (): Promise<void> => {
    for (;;) {
      const entry = await agent.getEntry("n");
      const tx = agent.transaction();
      tx.set("n", entry ? Number(entry.valueJson) + 1 : 1, { expectedRevision: entry?.revision ?? 0 });
      tx.add("createNote", { draft: { title: "Ada", content: "Text" } });
      try {
        await tx.commit();
        return;
      } catch (error) {
        if (!(error instanceof RevisionMismatch)) {
          throw error;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: 10 }, increment));
  assert.equal(await agent.get("n"), 10);
  assert.equal((await notesOf(agent, client)).length, 10);
});
