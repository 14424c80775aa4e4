import assert from "node:assert/strict";
import { test } from "node:test";
import { changedAgent, Witnesses } from "../../src/near-cache/witnesses.js";

const RESTORE = "memoryd.v1.RestoreSnapshotRequest";

test("a call changes the agent that it names, or all", () => {
  assert.equal(changedAgent("memoryd.v1.SetEntryRequest", { agentId: "a" }), "a");
  assert.equal(changedAgent("memoryd.v1.CreateSnapshotRequest", {}), "");
  assert.equal(changedAgent(RESTORE, { agentId: "a" }), "a");
  assert.equal(changedAgent(RESTORE, { agentId: "a", asAgentId: "b" }), "b");
  assert.equal(changedAgent(RESTORE, { agentId: "" }), undefined);
  assert.equal(changedAgent(RESTORE, { agentId: "a", dryRun: true }), "");
});

test("a restore of all agents is shown to every near cache, without a revision", async () => {
  const witnesses = new Witnesses();
  const seen: [string, bigint | undefined][] = [];
  for (const agentId of ["a", "b"]) {
    witnesses.add(agentId, () => async (revision) => {
      seen.push([agentId, revision]);
      await Promise.resolve();
    });
  }
  await witnesses.expect("memoryd.v1.SetEntryRequest", { agentId: "a" })({ revision: 3n }, undefined);
  await witnesses.expect(RESTORE, {})({ revision: 0n }, undefined);
  await witnesses.expect("memoryd.v1.SetEntryRequest", { agentId: "c" })({ revision: 3n }, undefined);
  assert.deepEqual(seen, [
    ["a", 3n],
    ["a", undefined],
    ["b", undefined],
  ]);
});

test("a change is shown to a near cache that was opened after it began, as a late one, and to none that was closed", async () => {
  const witnesses = new Witnesses();
  const seen: [string, boolean][] = [];
  const witness = (name: string) => (isLate: boolean) => async () => {
    seen.push([name, isLate]);
    await Promise.resolve();
  };
  const closed = witness("closed");
  witnesses.add("a", witness("before"));
  witnesses.add("a", closed);
  const show = witnesses.expect("memoryd.v1.SetEntryRequest", { agentId: "a" });
  witnesses.add("a", witness("meanwhile"));
  witnesses.remove("a", closed);
  await show({ revision: 3n }, undefined);
  assert.deepEqual(seen, [
    ["before", false],
    ["meanwhile", true],
  ]);
});
