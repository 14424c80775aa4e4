import assert from "node:assert/strict";
import { LeaseLost, type Agent } from "memoryd";
import type { Fragment } from "memoryd/v1";
import { live } from "./daemon.js";

/** A promise, and the function that resolves it. */
function event<T = void>(): { happened: Promise<T>; happen: (value: T) => void } {
  let happen!: (value: T) => void;
  const happened = new Promise<T>((resolve) => (happen = resolve));
  return { happened, happen };
}

async function flushed(agent: Agent, ...contents: string[]): Promise<void> {
  for (const content of contents) {
    await agent.fragments.create(content);
  }
  await agent.fragments.flush();
}

const contentsOf = (fragments: readonly Fragment[]): string[] => fragments.map(({ content }) => content);

live("a consumer has fragments handled, which then leave the buffer", async (agent) => {
  const { happened, happen } = event<string[]>();
  {
    await using consumer = agent.fragments.onFlush((fragments) => {
      happen(contentsOf(fragments));
    });
    await flushed(agent, "one", "two");
    assert.deepEqual(await happened, ["one", "two"]);
    assert.ok(consumer);
  }
  assert.equal((await agent.fragments.count()).fragmentCount, 0n);
});

live("fragments whose handler fails are delivered again", async (agent) => {
  const { happened, happen } = event();
  const errors: unknown[] = [];
  const deliveries: number[] = [];
  const failure = new Error("no");
  await flushed(agent, "one");
  {
    await using consumer = agent.fragments.onFlush(
      ([fragment]) => {
        deliveries.push(fragment?.deliveryCount ?? 0);
        if (deliveries.length === 1) {
          throw failure;
        }
        happen();
      },
      { onError: (error) => errors.push(error) },
    );
    await happened;
    assert.ok(consumer);
  }
  assert.deepEqual(deliveries, [1, 2]);
  assert.deepEqual(errors, [failure]);
  assert.equal((await agent.fragments.count()).fragmentCount, 0n);
});

live("the lease is renewed while the handler runs", async (agent) => {
  await flushed(agent, "one");
  const { happened, happen } = event();
  const consumer = agent.fragments.onFlush(
    async () => {
      // Past the end of the first lease, nobody else is given the fragment.
      for (let calls = 0; calls < 3; calls++) {
        const { fragments } = await agent.fragments.take({ waitDurationMs: 150 });
        assert.deepEqual(fragments, []);
      }
      happen();
    },
    { leaseMs: 200 },
  );
  await happened;
  await consumer.close();
  assert.equal((await agent.fragments.count()).fragmentCount, 0n);
});

live("a handler is told that its lease is lost", async (agent) => {
  await flushed(agent, "one");
  const { happened, happen } = event<unknown>();
  const errors: unknown[] = [];
  const consumer = agent.fragments.onFlush(
    async (_, signal) => {
      const lost = new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      await agent.fragments.clear();
      await lost;
      happen(signal.reason);
    },
    { leaseMs: 300, onError: (error) => errors.push(error) },
  );
  assert.ok((await happened) instanceof LeaseLost);
  await consumer.close();
  assert.deepEqual(
    errors.map((error) => error instanceof LeaseLost),
    [true],
  );
});

live("a consumer ends with its client", async (agent, client) => {
  const consumer = agent.fragments.onFlush(() => undefined);
  client.close();
  await consumer.ended;
});

live("a consumer ends with its signal", async (agent) => {
  const abort = new AbortController();
  const consumer = agent.fragments.onFlush(() => undefined, { signal: abort.signal });
  abort.abort();
  await consumer.ended;
  await agent.fragments.onFlush(() => undefined, { signal: abort.signal }).ended;
});

live("a consumer ends with an error that no retry resolves", async (agent) => {
  const consumer = agent.fragments.onFlush(() => undefined, { leaseMs: 1 });
  await assert.rejects(consumer.ended, { name: "InvalidArgument" });
  await assert.rejects(consumer.close(), { name: "InvalidArgument" });
});

live("a document is uploaded in parts", async (agent) => {
  const sent: number[] = [];
  const text = "A ship floats. ".repeat(100_000);
  const file = [Buffer.from(text.slice(0, 100)), Buffer.from(text.slice(100))];
  const { documentId, title, userId } = await agent.user("ada").documents.upload(file, {
    title: "Ships",
    mediaType: "text/plain",
    tags: ["sea"],
    progress: (bytes) => sent.push(bytes),
  });
  assert.deepEqual([title, userId], ["Ships", "ada"]);
  assert.deepEqual(sent, [100, 100 + 1024 * 1024, text.length]);
  const parts = [];
  for await (const chunk of agent.documents.chunks(documentId)) {
    parts.push(chunk.text);
  }
  assert.equal(parts.join(""), text);
});
