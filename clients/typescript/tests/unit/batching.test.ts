import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { Cancelled, Unavailable } from "../../src/errors.js";
import { TransactionService, WorkingMemoryService } from "../../src/v1.js";
import { FakeDaemon } from "./fake-daemon.js";

/** A daemon that logs the calls that reach it, and has an entry of each key that is "true". */
class Log {
  readonly calls: string[] = [];
  /** What the next batch throws. */
  failure: ConnectError | undefined;
  /** Resolves when a batch is to be answered. */
  answer = Promise.resolve();
  cancelled = 0;

  async serve(batching: true | { windowMs: number } = true): Promise<FakeDaemon> {
    return FakeDaemon.routes(
      (router) => {
        const working = WorkingMemoryService.method;
        router.rpc(working.getEntry, ({ key }) => {
          this.calls.push(`get ${key}`);
          return { found: true, entry: { key, valueJson: "true" } };
        });
        router.rpc(working.setEntry, ({ key }) => {
          this.calls.push(`set ${key}`);
          return { revision: 1n };
        });
        router.rpc(working.containsEntry, ({ key }) => {
          this.calls.push(`contains ${key}`);
          return { found: true };
        });
        router.rpc(working.batchGetEntries, async ({ keys, scopeId, localOnly }, { signal }) => {
          await this.#batch(`get ${keys.join(" ")}${scopeId && ` in ${scopeId}`}${localOnly ? " only" : ""}`, signal);
          return { entries: keys.map((key) => ({ key, valueJson: "true" })) };
        });
        router.rpc(TransactionService.method.commit, async ({ writes }, { signal }) => {
          const keys = writes.map(({ write }) => (write.value as { readonly key: string }).key);
          await this.#batch(`commit ${keys.join(" ")}`, signal);
          const results = writes.map(({ write }) =>
            write.case === "setEntry"
              ? { result: { case: "setEntry" as const, value: { revision: 1n } } }
              : { result: { case: "removeEntry" as const, value: { deleted: true } } },
          );
          return { revision: 1n, results };
        });
      },
      { batching, timeoutMs: 60_000 },
    );
  }

  async #batch(call: string, signal: AbortSignal): Promise<void> {
    this.calls.push(call);
    signal.addEventListener("abort", () => (this.cancelled += 1));
    await this.answer;
    const { failure } = this;
    if (failure) {
      this.failure = undefined;
      throw failure;
    }
  }
}

test("calls of one turn travel together, for each scope that is read", async () => {
  const log = new Log();
  await using daemon = await log.serve();
  const agent = daemon.client.agent("a");
  const scope = agent.attach("s");
  const calls = [
    agent.get("a"),
    agent.get("b"),
    agent.get("a"),
    scope.get("a"),
    scope.get("c"),
    scope.get("a", { localOnly: true }),
    agent.set("d", 1),
    scope.remove("e"),
    agent.get("f", { timeoutMs: 5_000 }),
    agent.set("g", 1, { mustExist: true }),
  ];
  await Promise.all(calls);
  const expected = ["commit d e", "get a", "get a b a", "get a c in s", "get f", "set g"];
  assert.deepEqual(log.calls.toSorted(), expected);
});

test("a call alone is sent as it is", async () => {
  const log = new Log();
  await using daemon = await log.serve();
  const agent = daemon.client.agent("a");
  await agent.set("a", 1);
  await agent.get("a");
  assert.deepEqual(log.calls, ["set a", "get a"]);
});

test("a call comes after the earlier writes of its key", async () => {
  const log = new Log();
  await using daemon = await log.serve();
  const agent = daemon.client.agent("a");
  const calls = [agent.set("a", 1), agent.set("b", 1), agent.get("a"), agent.set("a", 2), agent.contains("z")];
  await Promise.all(calls);
  assert.deepEqual(log.calls, ["commit a b", "get a", "set a", "contains z"]);
});

test("after a batch that was refused each call is made by itself", async () => {
  const log = new Log();
  await using daemon = await log.serve();
  const agent = daemon.client.agent("a");
  log.failure = new ConnectError("no", Code.InvalidArgument);
  await Promise.all([agent.set("a", 1), agent.set("b", 1)]);
  log.failure = new ConnectError("too large", Code.ResourceExhausted);
  await Promise.all([agent.get("a"), agent.get("b")]);
  assert.deepEqual(log.calls, ["commit a b", "set a", "set b", "get a b", "get a", "get b"]);
});

test("after a batch of which nobody knows whether it was made, each call fails", async () => {
  const log = new Log();
  await using daemon = await log.serve();
  const agent = daemon.client.agent("a");
  for (const code of [Code.Internal, Code.DeadlineExceeded, Code.DataLoss]) {
    log.failure = new ConnectError("lost", code);
    const both = await Promise.allSettled([agent.set("a", 1), agent.set("b", 1)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ["rejected", "rejected"],
    );
  }
  assert.deepEqual(log.calls, ["commit a b", "commit a b", "commit a b"]);
  await daemon[Symbol.asyncDispose]();
  await assert.rejects(agent.get("a"), Cancelled);
  await assert.rejects(Promise.all([agent.get("a"), agent.get("b")]), Cancelled);
});

test("a signal cancels its call, and a batch once it has cancelled all", async () => {
  const log = new Log();
  await using daemon = await log.serve();
  const agent = daemon.client.agent("a");
  const abort = new AbortController();
  const { signal } = abort;
  let answer = (): void => undefined;
  log.answer = new Promise((resolve) => (answer = resolve));
  const partial = [
    agent.get("a", { signal }),
    agent.get("b"),
    agent.set("c", 1, { signal }),
    agent.set("d", 1),
  ] as const;
  const whole = [agent.attach("s").get("a", { signal }), agent.attach("s").get("b", { signal })];
  const other = daemon.client.agent("other");
  while (log.calls.filter((call) => !call.startsWith("contains")).length < 3) {
    await other.contains("z");
  }
  abort.abort(new Error("enough"));
  for (const call of [partial[0], partial[2], ...whole]) {
    await assert.rejects(call, (error) => error instanceof Cancelled && (error.cause as Error).message === "enough");
  }
  while (log.cancelled === 0) {
    await other.contains("z");
  }
  const { cancelled } = log;
  answer();
  assert.deepEqual([await partial[1], (await partial[3]).revision, cancelled], [true, 1n, 1]);
});

test("a call that was cancelled before it was sent is not sent", async () => {
  const log = new Log();
  await using daemon = await log.serve({ windowMs: 1 });
  const agent = daemon.client.agent("a");
  const abort = new AbortController();
  const calls = [agent.set("a", 1, { signal: abort.signal }), agent.set("b", 1)] as const;
  abort.abort();
  await assert.rejects(calls[0], Cancelled);
  await calls[1];
  assert.deepEqual(log.calls, ["set b"]);
});

test("without a daemon each call has the error of its own", async () => {
  await using gone = await FakeDaemon.routes(() => undefined);
  const { target } = gone.client;
  await gone[Symbol.asyncDispose]();
  await using daemon = await FakeDaemon.routes(() => undefined, { target, batching: true, connectTimeoutMs: 50 });
  const agent = daemon.client.agent("a");
  for (const call of [agent.get("a"), agent.get("b"), agent.set("c", 1), agent.remove("d")]) {
    await assert.rejects(call, Unavailable);
  }
});
