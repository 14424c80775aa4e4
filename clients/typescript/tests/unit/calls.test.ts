import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { RetryInfoSchema } from "#protos/google/rpc/error_details_pb";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Aborted, Cancelled, DeadlineExceeded, InvalidArgument, Unavailable, Unimplemented } from "../../src/errors.js";
import {
  ConversationService,
  SnapshotService,
  WorkingMemoryService,
  type MessageRole,
  type SetEntryRequest,
} from "../../src/v1.js";
import { VERSION } from "../../src/version.js";
import { FakeDaemon } from "./fake-daemon.js";

/** Returns a daemon whose first calls fail with these errors, and which records all calls. */
async function failing(failures: readonly ConnectError[], calls: SetEntryRequest[] = []): Promise<FakeDaemon> {
  return FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.setEntry, (request) => {
      const failure = failures[calls.push(request) - 1];
      if (failure) {
        throw failure;
      }
      return { revision: 7n };
    }),
  );
}

test("a change is tried again with the same request id until it succeeds", async () => {
  const calls: SetEntryRequest[] = [];
  const away = new ConnectError("away", Code.Unavailable);
  await using daemon = await failing([away, new ConnectError("stopping", Code.Canceled)], calls);
  assert.equal((await daemon.client.agent("a").set("k", 1)).revision, 7n);
  const ids = new Set(calls.map(({ requestId }) => requestId));
  assert.equal(calls.length, 3);
  assert.equal(ids.size, 1);
  assert.match([...ids][0] ?? "", /^[0-9a-f]{32}$/);
});

test("a call names the version of the client", async () => {
  const sent: (string | null)[] = [];
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.setEntry, (_request, { requestHeader }) => {
      sent.push(requestHeader.get("user-agent"));
      return {};
    }),
  );
  await daemon.client.agent("a").set("k", 1);
  assert.deepEqual(sent, [`memoryd-typescript/${VERSION}`]);
});

test("calls of the stubs are tried again, too", async () => {
  await using daemon = await failing([new ConnectError("away", Code.Unavailable)]);
  const { revision } = await daemon.client.stub(WorkingMemoryService).setEntry({ agentId: "a", key: "k" });
  assert.equal(revision, 7n);
});

test("what the daemon refuses is not tried again", async () => {
  const calls: SetEntryRequest[] = [];
  await using daemon = await failing([new ConnectError("no", Code.Aborted)], calls);
  await assert.rejects(daemon.client.agent("a").set("k", 1), Aborted);
  assert.equal(calls.length, 1);
});

test("a retry delay beyond the timeout fails the call at once", async () => {
  const away = new ConnectError("away", Code.Unavailable);
  away.details.push({ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(3_600_000) } });
  await using daemon = await failing([away]);
  await assert.rejects(daemon.client.agent("a").set("k", 1), (error) => {
    assert.ok(error instanceof Unavailable);
    assert.equal(error.retryDelayMs, 3_600_000);
    return true;
  });
});

test("a change of snapshots is tried again with its request id", async () => {
  const ids: string[] = [];
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(SnapshotService.method.createSnapshot, ({ requestId }) => {
      if (ids.push(requestId) === 1) {
        throw new ConnectError("away", Code.Unavailable);
      }
      return {};
    }),
  );
  await daemon.client.stub(SnapshotService).createSnapshot({});
  assert.equal(ids.length, 2);
  assert.notEqual(ids[0], "");
  assert.equal(ids[1], ids[0]);
});

test("a call whose connection breaks is tried again on a new one", async () => {
  let calls = 0;
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.containsEntry, () => {
      calls += 1;
      if (calls === 1) {
        daemon.breakConnections();
      }
      return { found: true };
    }),
  );
  assert.equal(await daemon.client.agent("a").contains("k"), true);
  assert.equal(calls, 2);
});

test("a call has one timeout with all its attempts, and each attempt carries the time that is left", async () => {
  const timeouts: number[] = [];
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.getEntry, async (_, context) => {
      timeouts.push(context.timeoutMs() ?? Infinity);
      if (timeouts.length === 1) {
        throw new ConnectError("away", Code.Unavailable);
      }
      await new Promise((resolve) => {
        context.signal.addEventListener("abort", resolve);
      });
      return {};
    }),
  );
  await assert.rejects(daemon.client.agent("a").get("k", { timeoutMs: 500 }), DeadlineExceeded);
  const [first = 0, second = 0] = timeouts;
  assert.equal(timeouts.length, 2);
  assert.ok(second < first, `${second} < ${first}`);
});

test("a call without a timeout has none", async () => {
  let timeoutMs: number | undefined = 0;
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.getEntry, (_, context) => {
      timeoutMs = context.timeoutMs();
      return {};
    }),
  );
  await daemon.client.agent("a").get("k", { timeoutMs: Infinity });
  assert.equal(timeoutMs, undefined);
});

test("token and origin travel with each call", async () => {
  let headers = new Headers();
  await using daemon = await FakeDaemon.routes(
    (router) =>
      router.rpc(WorkingMemoryService.method.getEntry, (_, { requestHeader }) => {
        headers = requestHeader;
        return {};
      }),
    { token: "secret", origin: "tests" },
  );
  await daemon.client.agent("a").get("k");
  assert.equal(headers.get("authorization"), "Bearer secret");
  assert.equal(headers.get("memoryd-origin"), "tests");
});

test("a signal cancels a running call", async () => {
  const abort = new AbortController();
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.getEntry, async (_, { signal }) => {
      abort.abort(new Error("enough"));
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      return {};
    }),
  );
  await assert.rejects(daemon.client.agent("a").get("k", { signal: abort.signal }), (error) => {
    assert.ok(error instanceof Cancelled);
    assert.equal((error.cause as Error).message, "enough");
    return true;
  });
});

test("a signal cancels a call that waits for its next attempt", async () => {
  const abort = new AbortController();
  const away = new ConnectError("away", Code.Unavailable);
  away.details.push({ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(4_000) } });
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.getEntry, () => {
      setTimeout(() => {
        abort.abort();
      });
      throw away;
    }),
  );
  await assert.rejects(daemon.client.agent("a").get("k", { signal: abort.signal }), Cancelled);
});

test("closing the client ends its calls and watches, and later ones", async () => {
  let began = (): void => undefined;
  const underWay = new Promise<void>((resolve) => (began = resolve));
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.getEntry, async (_, { signal }) => {
      began();
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      return {};
    }),
  );
  const agent = daemon.client.agent("a");
  const call = assert.rejects(agent.get("k"), Cancelled);
  await underWay;
  daemon.client.close();
  await call;
  await assert.rejects(agent.get("k"), Cancelled);
  await assert.rejects(agent.watch(), Cancelled);
});

test("closing the client ends a call that has just begun, which opens no connection", async () => {
  let calls = 0;
  await using daemon = await FakeDaemon.routes((router) =>
    router.rpc(WorkingMemoryService.method.getEntry, () => {
      calls += 1;
      return {};
    }),
  );
  const call = assert.rejects(daemon.client.agent("a").get("k"), Cancelled);
  daemon.client.close();
  await call;
  assert.equal(calls, 0);
});

test("a daemon that never responded is retried for the connect timeout only", async () => {
  await using daemon = await failing([]);
  const { target } = daemon.client;
  await daemon[Symbol.asyncDispose]();
  await using gone = await FakeDaemon.routes(() => undefined, { target, connectTimeoutMs: 50 });
  await assert.rejects(gone.client.agent("a").get("k"), Unavailable);
});

for (const details of ["!!!!", "AAAA", ""]) {
  test(`details that cannot be decoded (${JSON.stringify(details)}) do not hide the status`, async () => {
    await using daemon = await FakeDaemon.handler((_, response) => {
      const status = { "grpc-status": "10", "grpc-message": "lost", "grpc-status-details-bin": details };
      response.writeHead(200, { "content-type": "application/grpc", ...status });
      response.end();
    });
    await assert.rejects(daemon.client.agent("a").get("k"), (error) => {
      assert.equal((error as Aborted).constructor, Aborted);
      assert.equal((error as Aborted).message, "lost");
      return true;
    });
  });
}

test("a response that is not gRPC is an error of this package", async () => {
  await using daemon = await FakeDaemon.handler((_, response) => {
    response.writeHead(404, { "content-type": "text/html" });
    response.end("no such page");
  });
  await assert.rejects(daemon.client.agent("a").get("k"), Unimplemented);
});

test("a word in place of an enum is an error of the caller, with those that there are", async () => {
  await using daemon = await FakeDaemon.routes(() => undefined);
  const role = "user" as unknown as MessageRole;
  const request = { agentId: "a", conversationId: "c", drafts: [{ role, content: "hello" }] };
  await assert.rejects(daemon.client.stub(ConversationService).appendMessages(request), (error) => {
    assert.ok(error instanceof InvalidArgument);
    assert.match(error.message, /^role must be a MessageRole \(SYSTEM, USER, ASSISTANT, TOOL\)/);
    return true;
  });
});
