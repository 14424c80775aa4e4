import assert from "node:assert/strict";
import { AgentNotFound, ScopeDisposed, ScopeExists, ScopeNotFound, type Scope } from "memoryd";
import { AgentService, WorkingMemoryService } from "memoryd/v1";
import { live } from "./daemon.js";

live("a scope falls back to its parents and keeps to itself what it is given", async (memory) => {
  await memory.set("user", "Ada");
  await memory.set("visits", 3);
  await using scope = await memory.scope("task");
  await scope.set("user", "Charles");
  assert.equal(await scope.get("user"), "Charles");
  assert.equal(await scope.get("visits"), 3);
  assert.equal(await scope.get("visits", { localOnly: true }), undefined);
  assert.equal(await memory.get("user"), "Ada");
});

live("a scope ends with its block, with all its entries", async (memory) => {
  let ended: Scope;
  {
    await using scope = await memory.scope("task");
    await scope.set("found", 1);
    ended = scope;
  }
  await assert.rejects(ended.get("found"), ScopeDisposed);
  assert.equal(await memory.contains("found"), false);
});

live("ending a scope that has ended does nothing", async (memory) => {
  await using scope = await memory.scope("task");
  await scope.set("a", 1);
  assert.equal(await scope.dispose(), 1);
  assert.equal(await scope.dispose(), 0);
});

live("a block may outlive its scope's agent", async (memory) => {
  await using scope = await memory.scope("task");
  await memory.withScope("other", () => memory.end());
  await assert.rejects(scope.dispose(), ScopeNotFound);
});

live("a scope is merged before its block ends, by hand", async (memory) => {
  await using scope = await memory.scope("task");
  await scope.set("found", 42);
  assert.equal(await scope.merge({ dispose: true }), 1);
  assert.equal(await memory.get("found"), 42);
});

live("a scope with a body is merged when that went well", async (memory) => {
  await memory.set("both", "parent");
  const answer = await memory.withScope(
    "task",
    async (scope) => {
      await scope.set("both", "scope");
      await scope.set("found", 42);
      return scope;
    },
    { merge: "keepParent" },
  );
  assert.deepEqual(
    await memory.getMany(["both", "found"]),
    new Map<string, unknown>([
      ["both", "parent"],
      ["found", 42],
    ]),
  );
  await assert.rejects(answer.get("found"), ScopeDisposed);
  await memory.withScope("task", (scope) => scope.set("both", "scope"), { merge: "overwrite" });
  assert.equal(await memory.get("both"), "scope");
});

live("a scope whose body fails ends without being merged", async (memory, client) => {
  const failure = new Error("no");
  const failing = async (scope: Scope): Promise<void> => {
    await scope.set("found", 1);
    throw failure;
  };
  await assert.rejects(memory.withScope("task", failing, { merge: "overwrite" }), failure);
  assert.equal(await memory.contains("found"), false);
  const { scopes } = await client.stub(WorkingMemoryService).listScopes({ agentId: memory.agentId });
  assert.deepEqual(scopes, []);
});

live("a scope is nested, attached to, and listed with what it inherits", async (memory) => {
  await memory.set("root", 1);
  await using outer = await memory.scope("outer");
  await using inner = await outer.scope("inner");
  await outer.set("outer", 2);
  await memory.attach(inner.scopeId).set("inner", 3);
  const keys: string[] = [];
  for await (const { key } of inner.entries({ inherited: true })) {
    keys.push(key);
  }
  assert.deepEqual(keys, ["inner", "outer", "root"]);
});

live("a scope of a name that must not exist twice exists once", async (memory) => {
  await using scope = await memory.scope("task", { mustNotExist: true });
  await assert.rejects(memory.scope("task", { mustNotExist: true }), ScopeExists);
  assert.notEqual(scope.scopeId, "");
});

live("an agent ends with all of its memory", async (memory, client) => {
  await memory.set("a", 1);
  await using scope = await memory.scope("task");
  await scope.set("b", 2);
  const { entriesCleared, scopesDisposed } = await memory.end();
  assert.deepEqual([entriesCleared, scopesDisposed], [2n, 1n]);
  await assert.rejects(client.stub(AgentService).getAgent({ agentId: memory.agentId }), AgentNotFound);
});
