import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { StaleRead } from "../../src/errors.js";
import type { NearCacheOptions } from "../../src/near-cache/options.js";
import {
  EventService,
  EventType,
  WatchPhase,
  WorkingMemoryService,
  type WatchEventsRequest,
  type WatchEventsResponseSchema,
} from "../../src/v1.js";
import { FakeDaemon } from "./fake-daemon.js";

type Message = MessageInitShape<typeof WatchEventsResponseSchema>;

/** A daemon whose events arrive when the test wants it: the watch of its cache is a queue. */
class Late {
  readonly requests: WatchEventsRequest[] = [];
  reads = 0;
  /** The revision of the initial state of the next watch. */
  initialRevision = 1n;
  #queue: (Message | ConnectError)[] = [];
  #arrived = (): void => undefined;

  send(message: Message | ConnectError): void {
    this.#queue.push(message);
    this.#arrived();
  }

  /** Sends the event of the write, which is of revision 2. */
  sendEvent(): void {
    const value = { key: "k", entry: { key: "k", valueJson: "2", revision: 2n } };
    const subject = { case: "entry" as const, value };
    const events = [{ type: EventType.ENTRY_SET, revision: 2n, subject }];
    this.send({ phase: WatchPhase.LIVE, revision: 2n, resumeToken: "t", events });
  }

  async serve(): Promise<FakeDaemon> {
    return FakeDaemon.routes((router) => {
      router.rpc(WorkingMemoryService.method.setEntry, () => ({ revision: 2n }));
      router.rpc(WorkingMemoryService.method.getEntry, () => {
        this.reads += 1;
        return { found: true, entry: { key: "k", valueJson: "2", revision: 2n } };
      });
      router.rpc(EventService.method.watchEvents, (request, { signal }) => {
        this.requests.push(request);
        return this.#messages(signal);
      });
    });
  }

  async *#messages(signal: AbortSignal): AsyncGenerator<Message> {
    yield { phase: WatchPhase.OPENED };
    const revision = this.initialRevision;
    const value = { key: "other", entry: { key: "other", valueJson: "1", revision } };
    const events = [{ type: EventType.ENTRY_SET, revision, subject: { case: "entry" as const, value } }];
    yield { phase: WatchPhase.INITIAL_STATE_COMPLETE, revision, resumeToken: "t", events };
    while (!signal.aborted) {
      const message = this.#queue.shift();
      if (message instanceof ConnectError) {
        throw message;
      } else if (message) {
        yield message;
      } else {
        await new Promise<void>((resolve) => {
          this.#arrived = resolve;
          signal.addEventListener("abort", () => {
            resolve();
          });
        });
      }
    }
  }
}

/** Options of a cache that makes no calls of its own. */
const UNPROVEN: NearCacheOptions = { maxStalenessMs: Infinity };

test("a write resolves once the cache has its revision", async () => {
  const late = new Late();
  await using daemon = await late.serve();
  const agent = daemon.client.agent("a");
  await using cache = await agent.nearCache(UNPROVEN);
  let isResolved = false;
  const writing = agent.set("k", 2).then(() => {
    isResolved = true;
    return cache.peek("k");
  });
  await agent.get("k");
  await agent.get("k");
  assert.equal(isResolved, false);
  late.sendEvent();
  assert.equal(await writing, 2);
  const [request] = late.requests;
  assert.deepEqual([request?.progressOnCommit, request?.start.case], [true, "includeInitialState"]);
});

for (const whenStale of ["ask", "serve"] as const) {
  test(`after a write that the cache does not see in time, reads ask until it has it: ${whenStale}`, async () => {
    const late = new Late();
    await using daemon = await late.serve();
    const agent = daemon.client.agent("a");
    await using cache = await agent.nearCache({ ...UNPROVEN, whenStale });
    await agent.set("k", 2);
    assert.throws(() => cache.peek("k"), StaleRead);
    assert.deepEqual([await cache.get("k"), late.reads], [2, 1]);
    late.sendEvent();
    while (cache.revision < 2n) {
      await agent.get("k");
    }
    const { reads } = late;
    assert.deepEqual([cache.peek("k"), await cache.get("k"), late.reads], [2, 2, reads]);
  });
}

test("a write that meets another store, at a lower revision, is waited for until the cache is of that store", async () => {
  const late = new Late();
  late.initialRevision = 9n;
  await using daemon = await late.serve();
  const agent = daemon.client.agent("a");
  await using cache = await agent.nearCache({ ...UNPROVEN, whenStale: "serve" });
  await agent.set("k", 2);
  assert.throws(() => cache.peek("k"), StaleRead);
  assert.equal(await cache.get("k"), 2);
  late.initialRevision = 1n;
  late.send(new ConnectError("another store", Code.FailedPrecondition));
  late.sendEvent();
  while (cache.revision !== 2n) {
    await agent.get("k");
  }
  const { reads } = late;
  assert.deepEqual([cache.peek("k"), await cache.get("k"), late.reads], [2, 2, reads]);
});

test("an aborted signal ends the wait of a write, which has its result", async () => {
  const late = new Late();
  await using daemon = await late.serve();
  const agent = daemon.client.agent("a");
  await using cache = await agent.nearCache(UNPROVEN);
  const abort = new AbortController();
  const writing = agent.set("k", 2, { signal: abort.signal });
  await agent.get("k");
  await agent.get("k");
  abort.abort();
  await writing.catch(() => undefined);
  assert.throws(() => cache.peek("k"), StaleRead);
});

test("a write while the cache is opened is not missing in it", async () => {
  const late = new Late();
  await using daemon = await late.serve();
  const agent = daemon.client.agent("a");
  const opening = agent.nearCache(UNPROVEN);
  await agent.set("k", 2);
  await using cache = await opening;
  assert.equal(await cache.get("k"), 2);
  late.sendEvent();
});

for (const whenStale of ["refuse", "serve"] as const) {
  test(`a cache whose watch is refused for good keeps no write waiting: ${whenStale}`, async () => {
    const late = new Late();
    await using daemon = await late.serve();
    const agent = daemon.client.agent("a");
    await using cache = await agent.nearCache({ maxStalenessMs: 100, whenStale });
    late.send(new ConnectError("no longer", Code.PermissionDenied));
    await agent.set("k", 2);
    if (whenStale === "serve") {
      assert.equal(await cache.get("k"), 2);
    } else {
      await assert.rejects(cache.get("k"), StaleRead);
    }
  });
}
