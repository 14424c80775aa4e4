import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { connect, MemorydError, RecordNotFound, ScopeDisposed, StaleRead, type Client, type NearCache } from "memoryd";
import { Chance, GONE, KEYS, Writer, type Seen } from "./history.js";
import { killing, type OwnDaemon } from "./own-daemon.js";
import { until } from "./until.js";

const CHANGES = 150;
const KILLS = 4;
const STALENESS_MS_MAX = 300;
const SEEDS = [0, 1];

/** Returns a client whose calls outlast each restart of the daemon. */
function patient(daemon: OwnDaemon): Client {
  return connect({ target: daemon.address, timeoutMs: 120_000, connectTimeoutMs: 120_000 });
}

/** Reads at random, and notes what no state of the agent explains. */
class Reader {
  readonly problems: string[] = [];
  count = 0;
  readonly #writer: Writer;
  readonly #cache: NearCache;
  readonly #stalenessMs: number;
  readonly #chance: Chance;

  constructor(writer: Writer, cache: NearCache, stalenessMs: number, seed: number) {
    this.#writer = writer;
    this.#cache = cache;
    this.#stalenessMs = stalenessMs;
    this.#chance = new Chance(seed);
  }

  async runUntil(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.look();
      await turn();
    }
  }

  readonly look = async (): Promise<void> => {
    const { states, state } = this.#writer;
    const scopeId = this.#chance.choice([...state.values.keys()].sort());
    const keys = this.#chance.sample(KEYS, this.#chance.choice([1, 3]));
    const [floor, begin] = [this.#writer.floor(performance.now() - this.#stalenessMs), Date.now()];
    const seen = await read(this.#cache, scopeId, keys);
    if (!this.#writer.explains(floor, scopeId, seen, begin, Date.now())) {
      this.problems.push(`${scopeId}: ${seen.join("; ")} from state ${floor} of ${states.length} on`);
    }
    this.count += 1;
  };
}

async function read(cache: NearCache, scopeId: string, keys: readonly string[]): Promise<(readonly [string, Seen])[]> {
  const near = scopeId === "" ? cache : cache.attach(scopeId);
  try {
    const values = await near.getMany<number>(keys);
    return keys.map((key) => [key, values.get(key)]);
  } catch (error) {
    if (error instanceof ScopeDisposed || error instanceof RecordNotFound) {
      return keys.map((key) => [key, GONE]);
    }
    throw error;
  }
}

for (const seed of SEEDS) {
  killing(`no read is older than was promised, under changes of all kinds and kills (${seed})`, async (daemon) => {
    using client = patient(daemon);
    using other = patient(daemon);
    const options = { maxStalenessMs: STALENESS_MS_MAX };
    await using own = await client.agent("own").nearCache(options);
    await using theirs = await client.agent("theirs").nearCache(options);
    const writers = [new Writer(client, "own", seed), new Writer(other, "theirs", seed)] as const;
    const over = new AbortController();
    const readers = [
      new Reader(writers[0], own, 0, seed),
      new Reader(writers[1], theirs, STALENESS_MS_MAX, seed),
    ] as const;
    writers[0].acknowledged = readers[0].look;
    const reading = Promise.all(readers.map((reader) => reader.runUntil(over.signal)));
    const writing = Promise.all(writers.map((writer) => writer.run(CHANGES)));
    let failed: unknown;
    writing.catch((error: unknown) => (failed = error));
    try {
      for (let kill = 1; kill <= KILLS; kill++) {
        const due = (kill * CHANGES) / (KILLS + 1);
        await until(() => failed !== undefined || writers.every(({ count }) => count >= due));
        await daemon.kill();
        await daemon.start();
      }
      await writing;
    } finally {
      over.abort();
    }
    await reading;
    for (const { count, problems } of readers) {
      assert.deepEqual(problems, []);
      assert.ok(count > CHANGES, `${count} reads`);
    }
  });
}

for (const whenStale of ["ask", "refuse", "serve"] as const) {
  killing(`during an outage a cache does as its option says: ${whenStale}`, async (daemon) => {
    using client = connect({ target: daemon.address, timeoutMs: 500, connectTimeoutMs: 500 });
    using other = patient(daemon);
    const agent = client.agent("a");
    await other.agent("a").set("k", 1);
    await using cache = await agent.nearCache({ maxStalenessMs: 200, whenStale });
    await daemon.kill();
    await until(() => cache.stalenessMs > 200);
    if (whenStale === "serve") {
      assert.deepEqual([cache.peek("k"), await cache.get("k")], [1, 1]);
    } else {
      assert.throws(() => cache.peek("k"), StaleRead);
      const isExpected = (error: unknown) =>
        error instanceof MemorydError && error instanceof StaleRead === (whenStale === "refuse");
      await assert.rejects(cache.get("k"), isExpected);
    }
    await daemon.start();
    await other.agent("a").set("k", 2);
    await until(() => cache.stalenessMs < 200 && cache.peek("k") === 2);
  });
}

killing("a cache of another store begins again", async (daemon) => {
  using client = patient(daemon);
  const agent = client.agent("a");
  for (const key of KEYS) {
    await agent.set(key, key);
  }
  await using cache = await agent.nearCache();
  await daemon.kill();
  await daemon.forget();
  await daemon.start();
  await agent.set("k0", "new");
  await until(() => cache.revision === 1n);
  assert.deepEqual([cache.peek("k0"), await cache.keys()], ["new", ["k0"]]);
});
