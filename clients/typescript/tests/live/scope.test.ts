import assert from "node:assert/strict";
import { AgentNotFound, ScopeDisposed, ScopeExists, ScopeNotFound, type Scope } from "memoryd";
import { AgentService, WorkingMemoryService } from "memoryd/v1";
import { live } from "./daemon.js";

live("a scope falls back to its parents and keeps to itself what it is given", async (agent) => {
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

live("a block may outlive its scope's agent", async (agent) => {
  await using scope = await agent.scope("task");
  await agent.withScope("other", () => agent.end());
  await assert.rejects(scope.dispose(), ScopeNotFound);
});

live("a scope is merged before its block ends, by hand", async (agent) => {
  await using scope = await agent.scope("task");
  await scope.set("found", 42);
  assert.equal(await scope.merge({ dispose: true }), 1);
  assert.equal(await agent.get("found"), 42);
});

live("a scope with a body is merged when that went well", async (agent) => {
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

live("a scope whose body fails ends without being merged", async (agent, client) => {
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

live("a scope is nested, attached to, and listed with what it inherits", async (agent) => {
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

live("a scope of a name that must not exist twice exists once", async (agent) => {
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
