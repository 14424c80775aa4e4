import assert from "node:assert/strict";
import { AgentNotFound, ScopeDisposed, ScopeExists, ScopeNotFound, type Scope } from "memoryd";
import { AgentService, WorkingMemoryService } from "memoryd/v1";
import { live } from "./daemon.js";

live("reads in a scope fall back to its parents, and writes stay in the scope", async (agent) => {
  await agent.set("user", "Ada");
  await agent.set("visits", 3);
  await using scope = await agent.scope("task");
  await scope.set("user", "Charles");
  assert.equal(await scope.get("user"), "Charles");
  assert.equal(await scope.get("visits"), 3);
  assert.equal(await scope.get("visits", { localOnly: true }), undefined);
  assert.equal(await agent.get("user"), "Ada");
});

live("a scope ends with its block, with all its entries", async (agent) => {
  let ended: Scope;
  {
    await using scope = await agent.scope("task");
    await scope.set("found", 1);
    ended = scope;
  }
  await assert.rejects(ended.get("found"), ScopeDisposed);
  assert.equal(await agent.contains("found"), false);
});

live("ending a scope that has ended does nothing", async (agent) => {
  await using scope = await agent.scope("task");
  await scope.set("a", 1);
  assert.equal(await scope.dispose(), 1);
  assert.equal(await scope.dispose(), 0);
});

live("a block may end after its scope's agent has ended", async (agent) => {
  await using scope = await agent.scope("task");
  await agent.withScope("other", () => agent.end());
  await assert.rejects(scope.dispose(), ScopeNotFound);
});

live("a scope can be merged explicitly before its block ends", async (agent) => {
  await using scope = await agent.scope("task");
  await scope.set("found", 42);
  assert.equal(await scope.merge({ dispose: true }), 1);
  assert.equal(await agent.get("found"), 42);
});

live("a scope is merged if its body succeeds", async (agent) => {
  await agent.set("both", "parent");
  const answer = await agent.withScope(
    "task",
    async (scope) => {
      await scope.set("both", "scope");
      await scope.set("found", 42);
      return scope;
    },
    { merge: "keepParent" },
  );
  assert.deepEqual(
    await agent.getMany(["both", "found"]),
    new Map<string, unknown>([
      ["both", "parent"],
      ["found", 42],
    ]),
  );
  await assert.rejects(answer.get("found"), ScopeDisposed);
  await agent.withScope("task", (scope) => scope.set("both", "scope"), { merge: "overwrite" });
  assert.equal(await agent.get("both"), "scope");
});

live("a scope is disposed without a merge if its body fails", async (agent, client) => {
  const failure = new Error("no");
  const failing = async (scope: Scope): Promise<void> => {
    await scope.set("found", 1);
    throw failure;
  };
  await assert.rejects(agent.withScope("task", failing, { merge: "overwrite" }), failure);
  assert.equal(await agent.contains("found"), false);
  const { scopes } = await client.stub(WorkingMemoryService).listScopes({ agentId: agent.agentId });
  assert.deepEqual(scopes, []);
});

live("scopes can be nested, attached, and listed with inherited entries", async (agent) => {
  await agent.set("root", 1);
  await using outer = await agent.scope("outer");
  await using inner = await outer.scope("inner");
  await outer.set("outer", 2);
  await agent.attach(inner.scopeId).set("inner", 3);
  const keys: string[] = [];
  for await (const { key } of inner.entries({ inherited: true })) {
    keys.push(key);
  }
  assert.deepEqual(keys, ["inner", "outer", "root"]);
});

live("a scope that must not exist is created only once", async (agent) => {
  await using scope = await agent.scope("task", { mustNotExist: true });
  await assert.rejects(agent.scope("task", { mustNotExist: true }), ScopeExists);
  assert.notEqual(scope.scopeId, "");
});

live("an agent ends with all of its memory", async (agent, client) => {
  await agent.set("a", 1);
  await using scope = await agent.scope("task");
  await scope.set("b", 2);
  const { entriesCleared, scopesDisposed } = await agent.end();
  assert.deepEqual([entriesCleared, scopesDisposed], [2n, 1n]);
  await assert.rejects(client.stub(AgentService).getAgent({ agentId: agent.agentId }), AgentNotFound);
});
