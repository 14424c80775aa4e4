import assert from "node:assert/strict";
import { RecordExists, RecordNotFound, RevisionMismatch, type Agent } from "memoryd";
import { CreateMemoryOutcome, MemoryLinkType, MemoryType, MessageRole, PlanStepStatus } from "memoryd/v1";
import { live } from "./daemon.js";

live("a note is created, changed, listed and deleted", async (agent) => {
  const note = await agent.notes.create("Ada", "lives in Lisbon", { tags: ["people"], importance: 0.8 });
  assert.equal((await agent.notes.get(note.noteId)).content, "lives in Lisbon");
  const changed = await agent.notes.update(note.noteId, { content: "lives in Oslo" });
  assert.deepEqual([changed.title, changed.content, changed.tags], ["Ada", "lives in Oslo", ["people"]]);
  assert.deepEqual(await titles(agent.notes.list({ allTags: ["people"], minImportance: 0.7 })), ["Ada"]);
  assert.deepEqual(await titles(agent.notes.list({ notebooks: ["work"] })), []);
  assert.equal(await agent.notes.delete(note.noteId), true);
  assert.equal(await agent.notes.delete(note.noteId), false);
  await assert.rejects(agent.notes.get(note.noteId), RecordNotFound);
});

live("erasing returns the receipt", async (agent) => {
  const { noteId } = await agent.notes.create("Ada", "a secret");
  const receipt = await agent.notes.delete(noteId, { erase: true });
  assert.ok(receipt.erased.length > 0);
});

live("a condition refuses a change of a record that has changed", async (agent) => {
  const { noteId, revision } = await agent.notes.create("a", "1", { noteId: "n" });
  await agent.notes.update(noteId, { content: "2" }, { expectedRevision: revision });
  await assert.rejects(agent.notes.update(noteId, { content: "3" }, { expectedRevision: revision }), RevisionMismatch);
  await assert.rejects(agent.notes.create("a", "1", { noteId: "n" }), RecordExists);
  const elsewhere = { agentCondition: { expectedRevision: 1 } };
  await assert.rejects(agent.notes.update(noteId, { content: "4" }, elsewhere), RevisionMismatch);
});

live("a listing has the records of all pages", async (agent) => {
  const drafts = Array.from({ length: 1_500 }, (_, n) => `Fact ${n} stands alone.`);
  await agent.memories.createMany(drafts.slice(0, 750));
  await agent.memories.createMany(drafts.slice(750));
  const found = new Set<string>();
  for await (const { content } of agent.memories.list()) {
    found.add(content);
  }
  assert.equal(found.size, drafts.length);
  for await (const memory of agent.memories.list({ content: false })) {
    assert.equal(memory.content, "");
    break;
  }
});

live("a memory is recalled by its meaning, and forgotten", async (agent) => {
  const { memory, outcome } = await agent.memories.remember("Ann lives in Oslo.", {
    type: MemoryType.SEMANTIC,
    occurTime: new Date("2026-01-31T12:00:00Z"),
    metadata: { source: "chat", turn: 3 },
  });
  assert.equal(outcome, CreateMemoryOutcome.CREATED);
  assert.ok(memory);
  const { memories } = await agent.memories.recall("Where does Ann live?", {
    limit: 3,
    metadata: [{ path: "source", equals: "chat" }],
    types: [MemoryType.SEMANTIC],
  });
  assert.deepEqual(
    memories.map((match) => match.memory?.memoryId),
    [memory.memoryId],
  );
  const { memory: moved } = await agent.memories.update(memory.memoryId, {
    content: "Ann lives in Rome.",
    ttlMs: 60_000,
  });
  assert.ok(moved?.expireTime);
  await agent.memories.update(memory.memoryId, { expireTime: null });
  assert.equal((await agent.memories.get(memory.memoryId)).expireTime, undefined);
  assert.equal((await agent.memories.forget(memory.memoryId)).deleted, true);
  await assert.rejects(agent.memories.get(memory.memoryId), RecordNotFound);
});

live("memories are linked", async (agent) => {
  const results = await agent.memories.createMany([
    "Ann has a boat.",
    { content: "The boat is red.", memoryId: "red" },
  ]);
  const boat = results[0]?.memory?.memoryId ?? "";
  await agent.memories.link(boat, "red", MemoryLinkType.RELATED, { strength: 0.9 });
  assert.equal((await agent.memories.getLink(boat, "red", MemoryLinkType.RELATED)).strength, 0.9);
  const links = [];
  for await (const link of agent.memories.links({ memoryId: boat, minStrength: 0.5 })) {
    links.push(link.toMemoryId);
  }
  assert.deepEqual(links, ["red"]);
  assert.equal(await agent.memories.unlink(boat, "red"), true);
});

live("a plan has steps, of which one is completed", async (agent) => {
  const plan = await agent.plans.create("Move to Oslo", { conversationId: "c", steps: ["find a flat", "pack"] });
  const [first] = plan.steps;
  await agent.plans.updateStep(first?.stepId ?? "", { status: PlanStepStatus.COMPLETED }, { conversationId: "c" });
  await agent.plans.addStep("travel", { conversationId: "c", beforeStepId: plan.steps[1]?.stepId ?? "" });
  const { steps } = await agent.plans.get({ conversationId: "c" });
  assert.deepEqual(
    steps.map(({ description }) => description),
    ["find a flat", "travel", "pack"],
  );
  await agent.plans.complete({ conversationId: "c" });
});

live("messages are appended, read and cut off", async (agent) => {
  const { firstNumber } = await agent.conversations.append("c", [
    { role: MessageRole.USER, content: "Hello" },
    { role: MessageRole.ASSISTANT, parts: [{ text: "Hi" }, { toolCall: { toolCallId: "1", name: "clock" } }] },
  ]);
  assert.equal(firstNumber, 1n);
  const { parts } = await agent.conversations.message("c", { number: 2 });
  assert.deepEqual(
    parts.map(({ part }) => part.case),
    ["text", "toolCall"],
  );
  assert.equal((await agent.conversations.truncate("c", { fromNumber: 2 })).deletedMessageCount, 1n);
  const roles = [];
  for await (const { role } of agent.conversations.messages("c", { roles: [MessageRole.USER] })) {
    roles.push(role);
  }
  assert.deepEqual(roles, [MessageRole.USER]);
  await agent.conversations.compact("c", 10, { keepImportant: { minImportance: 0.9 } });
  await agent.conversations.compact("c", 10, { dropOldest: true });
});

live("a document is searched in chunks", async (agent) => {
  const { documentId } = await agent.documents.create({ title: "Boats", text: "A boat floats.\n\nA car drives." });
  const { chunks } = await agent.documents.search("What floats?", { limit: 1 });
  assert.equal(chunks[0]?.chunk?.documentId, documentId);
  await agent.documents.update(documentId, { title: "Ships" }, { text: "A ship floats." });
  assert.equal((await agent.documents.get(documentId)).title, "Ships");
  assert.match((await agent.documents.chunk(documentId, 1)).text, /ship/);
});

live("fragments are consumed with a lease", async (agent) => {
  await agent.fragments.create("heard something", { type: "speech", ttlMs: 60_000, sources: [{ name: "ear" }] });
  assert.equal(await agent.fragments.flush(), 1);
  const { leaseToken, fragments } = await agent.fragments.take({ limit: 10, leaseDurationMs: 30_000 });
  assert.equal(fragments[0]?.content, "heard something");
  assert.equal(await agent.fragments.acknowledge(leaseToken), 1);
  assert.equal((await agent.fragments.count()).fragmentCount, 0n);
});

live("entities are kept in the window of their conversation", async (agent) => {
  const page = { type: "page", entityId: "p1", name: "Home", lastAccessTime: new Date("2026-01-02T00:00:00Z") };
  await agent.entities.add("c", [page], { windowSize: 3 });
  await agent.entities.extract("c", "get_page", { result: { page: { id: "p2", name: "About" } } });
  const { entities } = await agent.entities.get("c");
  assert.ok(entities.some(({ entityId }) => entityId === "p1"));
  await agent.entities.clear({ conversationId: "c" });
});

live("a context is composed of sections", async (agent) => {
  await agent.set("city", "Oslo");
  await agent.notes.create("Tone", "Be brief.");
  const { messages } = await agent.compose({
    maxTokens: 2_000,
    sections: [
      { text: "You are an assistant." },
      { notes: {} },
      { entries: { filter: { entry: { keyPrefixes: ["c"] } } } },
    ],
  });
  const text = messages.map(({ content }) => content).join("\n");
  assert.match(text, /You are an assistant\.[^]*Be brief\.[^]*city/);
});

live("a bound user is that of all that is written and read", async (agent) => {
  const ada = agent.user("ada");
  await ada.set("color", "red");
  await ada.batch().set("size", 3).commit();
  await ada.notes.create("Ada's", "note");
  await agent.notes.create("nobody's", "note");
  await ada.memories.createMany(["Ada likes tea.", { content: "Bob likes beer.", userId: "bob" }]);
  const tx = ada.transaction();
  tx.set("shape", "round");
  await tx.commit();
  assert.deepEqual(await keys(ada), ["color", "shape", "size"]);
  assert.deepEqual(await keys(agent), []);
  assert.deepEqual(await titles(ada.notes.list()), ["Ada's"]);
  assert.deepEqual(await titles(ada.notes.list({ allUsers: true })), ["Ada's", "nobody's"]);
  assert.deepEqual(await titles(ada.notes.list({ userIds: [""] })), ["nobody's"]);
  const { memories } = await ada.memories.recall("Who likes what?");
  assert.deepEqual(
    memories.map((match) => match.memory?.userId),
    ["ada"],
  );
  const { messages } = await ada.compose({ sections: [{ notes: {} }] });
  assert.match(messages[0]?.content ?? "", /Ada's/);
  assert.equal(await ada.update<number>("visits", (visits = 0) => visits + 1), 1);
  assert.equal((await agent.getEntry("visits"))?.userId, "ada");
  await agent.set("shared", 1);
  await ada.update<number>("shared", (value = 0) => value + 1); // it stays everybody's
  assert.equal((await agent.getEntry("shared"))?.userId, "");
});

async function titles(notes: AsyncIterable<{ readonly title: string }>): Promise<string[]> {
  const found = [];
  for await (const { title } of notes) {
    found.push(title);
  }
  return found;
}

async function keys(agent: Agent): Promise<string[]> {
  const found = [];
  for await (const { key } of agent.entries()) {
    found.push(key);
  }
  return found;
}
