import assert from "node:assert/strict";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  AgentNotFound,
  countsByKind,
  RecordExists,
  RecordNotFound,
  RevisionMismatch,
  ScopeDisposed,
  type Scope,
} from "memoryd";
import { AgentService, RecordKind, WorkingMemoryService } from "memoryd/v1";
import { live } from "./daemon.js";
import { until } from "./until.js";

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
  assert.equal(await scope.dispose(), 0);
});

live("a scope can be merged explicitly before its block ends", async (agent) => {
  await using scope = await agent.scope("task");
  await scope.set("found", 42);
  assert.equal(await scope.merge(), 1);
  assert.equal(await agent.get("found"), 42);
});

live("a merge that keeps the scope only copies", async (agent) => {
  await using scope = await agent.scope("task");
  await scope.set("k", 1);
  assert.equal(await scope.merge({ dispose: false }), 1);
  assert.equal(await scope.get("k", { localOnly: true }), 1);
  assert.equal(await scope.merge(), 1);
  await assert.rejects(scope.get("k"), ScopeDisposed);
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
  await assert.rejects(agent.scope("task", { mustNotExist: true }), RecordExists);
  assert.notEqual(scope.scopeId, "");
});

live("a scope that must exist is not created without one", async (agent) => {
  await assert.rejects(agent.scope("task", { mustExist: true }), RecordNotFound);
  await using scope = await agent.scope("task", { expectedRevision: 0 });
  await assert.rejects(agent.scope("task", { expectedRevision: 0 }), RevisionMismatch);
  assert.notEqual(scope.scopeId, "");
});

live("a scope is about its user", async (agent, client) => {
  await using scope = await agent.scope("task", { userId: "ann" });
  const stub = client.stub(WorkingMemoryService);
  const place = { agentId: agent.agentId, scopeId: scope.scopeId };
  assert.equal((await stub.getScope(place)).scope?.userId, "ann");
  await agent.withScope("other", async ({ scopeId }) => {
    assert.equal((await stub.getScope({ ...place, scopeId })).scope?.userId, "");
  });
});

live("a scope with an idle time is used for as long as it is held", async (agent, client) => {
  const stub = client.stub(WorkingMemoryService);
  const expiry = async (scopeId: string) => {
    // A listing is no use of a scope.
    const { scopes } = await stub.listScopes({ agentId: agent.agentId, filter: { allUsers: true } });
    const expireTime = scopes.find((scope) => scope.scopeId === scopeId)?.expireTime;
    return expireTime && timestampMs(expireTime);
  };
  await using held = await agent.scope("held", { idleTtlMs: 1_500, userId: "ann" });
  const first = await expiry(held.scopeId);
  assert.ok(first !== undefined);
  const tx = agent.transaction();
  const made = tx.scope("not held", { idleTtlMs: 1_000 });
  await tx.commit();
  await until(async () => (await expiry(made.result.scopeId)) === undefined);
  const last = await expiry(held.scopeId);
  assert.ok(last !== undefined && last > first);
});

live("a condition on the end of a scope is about the agent", async (agent) => {
  const scope = await agent.scope("task");
  await agent.set("a", 1);
  await scope.set("b", 2);
  await assert.rejects(scope.merge({ expectedRevision: 2 }), RevisionMismatch);
  assert.equal(await scope.merge({ expectedRevision: 3, dispose: false }), 1);
  await assert.rejects(scope.dispose({ expectedRevision: 3 }), RevisionMismatch);
  assert.equal(await scope.dispose({ expectedRevision: 4 }), 1);
  await assert.rejects(agent.end({ expectedRevision: 4 }), RevisionMismatch);
  await agent.end({ expectedRevision: 5 });
});

live("an agent ends with all of its memory", async (agent, client) => {
  await agent.set("a", 1);
  await using scope = await agent.scope("task");
  await scope.set("b", 2);
  const { cleared, deleted } = await agent.end({ mustExist: true });
  assert.equal(deleted, true);
  const removed = countsByKind(cleared);
  assert.deepEqual([removed.get(RecordKind.ENTRY), removed.get(RecordKind.SCOPE)], [2, 1]);
  await assert.rejects(client.stub(AgentService).getAgent({ agentId: agent.agentId }), AgentNotFound);
  assert.equal((await agent.end()).deleted, false);
  await assert.rejects(agent.end({ mustExist: true }), AgentNotFound);
});
