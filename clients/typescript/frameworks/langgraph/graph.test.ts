import { randomUUID } from "node:crypto";
import { Annotation, Command, interrupt, START, StateGraph } from "@langchain/langgraph";
import { MemorydSaver } from "memoryd/langgraph";
import { startDaemon } from "memoryd/testing";

const daemon = await startDaemon("--embedder", "none");
afterAll(() => daemon.stop());

const State = Annotation.Root({
  words: Annotation<string[]>({ reducer: (before, after) => [...before, ...after], default: () => [] }),
  size: Annotation<number>(),
});

const graph = new StateGraph(State)
  .addNode("count", ({ words }) => ({ size: words.length }))
  .addNode("ask", ({ size }) => ({ words: [interrupt<number, string>(size)] }))
  .addEdge(START, "count")
  .addEdge("count", "ask");

function newThread() {
  return { configurable: { thread_id: `${randomUUID()}/ü*` } };
}

it("continues a thread that waits, in another process or with another checkpointer", async () => {
  const config = newThread();
  {
    using checkpointer = new MemorydSaver({ client: daemon.address });
    await graph.compile({ checkpointer }).invoke({ words: ["one", "x".repeat(700_000)] }, config);
  }
  using checkpointer = new MemorydSaver({ client: daemon.address });
  const app = graph.compile({ checkpointer });
  expect((await app.getState(config)).next).toEqual(["ask"]);
  const state = await app.invoke(new Command({ resume: "three" }), config);
  expect(state.words.map(({ length }) => length)).toEqual([3, 700_000, 5]);
  const steps = [];
  for await (const { metadata } of app.getStateHistory(config)) {
    steps.push(metadata?.step);
  }
  expect(steps).toEqual([2, 1, 0, -1]);
});

it("keeps branches of a thread apart", async () => {
  using checkpointer = new MemorydSaver({ client: daemon.address });
  const app = graph.compile({ checkpointer });
  const config = newThread();
  await app.invoke({ words: ["one"] }, config);
  const { config: waiting } = await app.getState(config);
  const first = await app.updateState(waiting, { words: ["left"] }, "ask");
  const second = await app.updateState(waiting, { words: ["right"] }, "ask");
  expect((await app.getState(first)).values).toMatchObject({ words: ["one", "left"] });
  expect((await app.getState(second)).values).toMatchObject({ words: ["one", "right"] });
});

it("merges the writes of a task, and replaces those of special channels", async () => {
  using checkpointer = new MemorydSaver({ client: daemon.address });
  const config = { configurable: { ...newThread().configurable, checkpoint_ns: "" } };
  const checkpoint = { v: 4, id: "1", ts: "", channel_values: {}, channel_versions: {}, versions_seen: {} };
  const named = await checkpointer.put(config, checkpoint, { source: "input", step: -1, parents: {} }, {});
  const large = "y".repeat(600_000);
  await Promise.all([
    checkpointer.putWrites(named, [["a", large]], "task"),
    checkpointer.putWrites(named, [["a", large], ["b", 2]], "task"), // prettier-ignore
    checkpointer.putWrites(named, [["__error__", "first"]], "task"),
  ]);
  await checkpointer.putWrites(named, [["a", "ignored"]], "task");
  await checkpointer.putWrites(named, [["__error__", "last"]], "task");
  await checkpointer.putWrites(named, [["c", 3]], "other", "~path");
  expect((await checkpointer.getTuple(named))?.pendingWrites).toEqual([
    ["task", "__error__", "last"],
    ["task", "a", large],
    ["task", "b", 2],
    ["other", "c", 3],
  ]);
});

it("removes a thread, and nothing of others", async () => {
  using checkpointer = new MemorydSaver({ client: daemon.address });
  const app = graph.compile({ checkpointer });
  const [config, other] = [newThread(), newThread()];
  await app.invoke({ words: ["one"] }, config);
  await app.invoke({ words: ["two"] }, other);
  await checkpointer.deleteThread(config.configurable.thread_id);
  await checkpointer.deleteThread(config.configurable.thread_id);
  expect(await checkpointer.getTuple(config)).toBeUndefined();
  expect((await app.getState(other)).values).toMatchObject({ words: ["two"] });
});
