import { randomUUID } from "node:crypto";
import { Embeddings } from "@langchain/core/embeddings";
import { InMemoryStore, type BaseStore, type IndexConfig, type Operation } from "@langchain/langgraph-checkpoint";
import { connect, UnsupportedValue } from "memoryd";
import { MemorydStore } from "memoryd/langgraph";
import { startDaemon } from "memoryd/testing";

const daemon = await startDaemon("--embedder", "none");
afterAll(() => daemon.stop());

/** Embeds a text as the numbers of its first letters, so that nearness is known. */
class Letters extends Embeddings {
  constructor() {
    super({});
  }

  async embedDocuments(texts: string[]): Promise<number[][]> {
    return texts.map((text) => ["a", "b", "c"].map((letter) => text.split(letter).length - 1));
  }

  async embedQuery(text: string): Promise<number[]> {
    const [vector = []] = await this.embedDocuments([text]);
    return vector;
  }
}

function newStore(index?: IndexConfig): MemorydStore {
  return new MemorydStore({ client: daemon.address, agentId: `store-${randomUUID()}`, ...(index && { index }) });
}

const byTitle = { dims: 3, embeddings: new Letters(), fields: ["title"] };
const stores: [string, (index?: IndexConfig) => BaseStore][] = [
  ["memoryd", newStore],
  ["LangGraph's own", (index) => new InMemoryStore(index && { index })],
];

// What both stores do is the contract, since LangGraph publishes no suite for stores.
describe.each(stores)("%s", (_, create) => {
  let store: BaseStore;
  beforeEach(() => {
    store = create();
  });
  afterEach(async () => {
    await store.stop();
  });

  it("returns what was put, and null without it", async () => {
    await store.put(["users", "1"], "a", { name: "Ada", tags: ["x"], nested: { n: 1.5, none: null } });
    const item = await store.get(["users", "1"], "a");
    expect(item).toMatchObject({ namespace: ["users", "1"], key: "a" });
    expect(item?.value).toEqual({ name: "Ada", tags: ["x"], nested: { n: 1.5, none: null } });
    expect(item?.createdAt).toBeInstanceOf(Date);
    expect(await store.get(["users", "1"], "b")).toBeNull();
    expect(await store.get(["users"], "a")).toBeNull();
  });

  it("keeps the time of creation of an item that is put again", async () => {
    await store.put(["n"], "k", { v: 1 });
    const before = await store.get(["n"], "k");
    const createdAt = before?.createdAt.getTime();
    await store.put(["n"], "k", { v: 2 });
    const after = await store.get(["n"], "k");
    expect(after?.value).toEqual({ v: 2 });
    expect(after?.createdAt.getTime()).toBe(createdAt);
    expect(after?.updatedAt.getTime()).toBeGreaterThanOrEqual(createdAt ?? Infinity);
  });

  it("deletes", async () => {
    await store.put(["n"], "k", { v: 1 });
    await store.delete(["n"], "k");
    await store.delete(["n"], "nothing");
    expect(await store.get(["n"], "k")).toBeNull();
  });

  it("searches by filters and pages", async () => {
    for (const [user, age] of [
      ["1", 30],
      ["10", 40],
      ["2", 50],
    ] as const) {
      await store.put(["users", user], "profile", { age, kind: "person" });
    }
    expect(await valuesOf(store.search(["users"], { filter: { age: { $gt: 30, $lte: 50 } } }))).toEqual([40, 50]);
    expect(await valuesOf(store.search(["users"], { filter: { age: { $in: [30, 50] } } }))).toEqual([30, 50]);
    expect(await valuesOf(store.search(["users"], { filter: { kind: "person", age: { $ne: 30 } } }))).toEqual([40, 50]);
    expect(await valuesOf(store.search([]))).toEqual([30, 40, 50]);
    const pages = await Promise.all([0, 1, 2, 3].map((offset) => store.search(["users"], { limit: 1, offset })));
    expect(pages.map(({ length }) => length)).toEqual([1, 1, 1, 0]);
    expect(new Set(pages.flat().map(({ namespace }) => namespace.join())).size).toBe(3);
  });

  it("lists namespaces by prefix, suffix and depth", async () => {
    for (const namespace of [["a", "b", "v1"], ["a", "c", "v1"], ["a", "b", "v2"], ["d"]]) {
      await store.put(namespace, "k", {});
    }
    expect(await store.listNamespaces({ prefix: ["a"] })).toEqual([
      ["a", "b", "v1"],
      ["a", "b", "v2"],
      ["a", "c", "v1"],
    ]);
    expect(await store.listNamespaces({ prefix: ["a", "*", "v1"] })).toHaveLength(2);
    expect(await store.listNamespaces({ suffix: ["v2"] })).toEqual([["a", "b", "v2"]]);
    expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([["a"], ["d"]]);
    expect(await store.listNamespaces({ limit: 1, offset: 1 })).toEqual([["a", "b", "v2"]]);
  });

  it("reads in a batch what was there before its puts, of which the last is stored", async () => {
    const operations: Operation[] = [
      { namespace: ["n"], key: "k", value: { v: 2 } },
      { namespace: ["n"], key: "k" },
      { namespace: ["n"], key: "k", value: { v: 3 } },
      { namespacePrefix: ["n"] },
    ];
    const [, read, , found] = await store.batch(operations);
    expect([read, found]).toEqual([null, []]);
    expect((await store.get(["n"], "k"))?.value).toEqual({ v: 3 });
  });

  it("refuses a namespace that LangGraph does not allow", async () => {
    await expect(store.put([], "k", {})).rejects.toThrow(/empty/);
    await expect(store.put(["langgraph"], "k", {})).rejects.toThrow(/langgraph/);
  });

  it("ranks by the nearest text", async () => {
    const ranking = create(byTitle);
    await ranking.put(["n"], "one", { title: "aab" });
    await ranking.put(["n"], "two", { title: "ccc" });
    await ranking.put(["n"], "none", { other: "aaa" });
    await ranking.put(["n"], "off", { title: "aaa" }, false);
    const found = await ranking.search(["n"], { query: "ab" });
    expect(found.slice(0, 2).map(({ key }) => key)).toEqual(["one", "two"]);
    expect(found[0]?.score).toBeCloseTo(3 / Math.sqrt(10), 5);
    expect(found.slice(2).map(({ score }) => score)).toEqual([undefined, undefined]);
    await ranking.stop();
  });
});

async function valuesOf(found: Promise<{ value: Record<string, unknown> }[]>): Promise<unknown[]> {
  return (await found).map(({ value }) => value.age).sort();
}

describe("memoryd alone", () => {
  // LangGraph's own store of older versions does not.
  it("searches below whole labels", async () => {
    using store = newStore();
    await store.put(["users", "1"], "k", { age: 1 });
    await store.put(["users", "10"], "k", { age: 10 });
    expect(await valuesOf(store.search(["users", "1"]))).toEqual([1]);
  });

  it("takes any label and key, and keeps texts to the last character", async () => {
    using store = newStore();
    const [namespace, key] = [["a/b", "*", "%2F", "ü\u0001"], "k/\u{1f600}"];
    await store.batch([{ namespace, key, value: { text: "\u0000\u{1f600}" } }]);
    expect(await store.get(["a/b", "*", "%2F", "ü\u0001"], key)).toMatchObject({ namespace, key });
    expect(await store.listNamespaces()).toEqual([namespace]);
    await expect(store.put(["n".repeat(1_100)], "k", {})).rejects.toThrow(RangeError);
  });

  it("shares items with other clients", async () => {
    using client = connect({ target: daemon.address });
    const agentId = `store-${randomUUID()}`;
    const store = new MemorydStore({ client, agentId });
    await store.put(["users", "ada"], "likes", { drink: "tea" });
    expect(await client.agent(agentId).get("item/users/ada/likes")).toEqual({ value: { drink: "tea" } });
    store.stop(); // a given client stays open
    // As Python's store writes an item with a time to live whose read has restarted it.
    const written = { value: { n: 1 }, ttl: 5, updated_at: "2026-01-02T03:04:05.678901+00:00", vectors: { title: "" } };
    await client.agent(agentId).set("item/users/ada/n", written, { ttlMs: 300_000 });
    const item = await store.get(["users", "ada"], "n");
    expect(item?.value).toEqual({ n: 1 });
    expect(item?.updatedAt.toISOString()).toBe("2026-01-02T03:04:05.678Z");
  });

  it("makes all puts of a batch, or none", async () => {
    using store = newStore();
    const put = (key: string, value: Record<string, unknown>) => ({ namespace: ["n"], key, value });
    await expect(store.batch([put("a", {}), put("b", { f: () => 1 })])).rejects.toThrow(UnsupportedValue);
    await expect(store.batch([put("a", {}), put("b", { text: "x".repeat(2_000_000) })])).rejects.toThrow();
    expect(await store.search(["n"])).toEqual([]);
  });

  it("finds texts at paths", async () => {
    using store = newStore({ ...byTitle, fields: ["parts[*].text", "{x,y.z}", "list[-1]"] });
    await store.put(["n"], "k", { parts: [{ text: "a" }, { text: "b" }], x: "c", y: { z: "aa" }, list: ["a", "cc"] });
    for (const query of ["a", "b", "c"]) {
      expect((await store.search(["n"], { query }))[0]?.score).toBeCloseTo(1, 5);
    }
  });

  it("refuses an operator that there is not, and embeddings of another size", async () => {
    using store = newStore({ ...byTitle, dims: 4 });
    await store.put(["n"], "k", { v: 1 });
    await expect(store.search(["n"], { filter: { v: { $near: 1 } } })).rejects.toThrow(/\$near/);
    await expect(store.put(["n"], "t", { title: "a" })).rejects.toThrow(/dims is 4/);
  });
});
