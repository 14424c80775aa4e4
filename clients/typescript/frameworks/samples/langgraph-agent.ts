/*
 * An agent of LangGraph that remembers: what was said in each conversation by its checkpointer, and what it knows about a
 * user by its store. A function stands for the model, so that this runs without one.
 */
import { Annotation, START, StateGraph, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { MemorydSaver, MemorydStore } from "memoryd/langgraph";

const State = Annotation.Root({
  messages: Annotation<string[]>({ reducer: (before, after) => [...before, ...after], default: () => [] }),
});

async function answer({ messages }: typeof State.State, { store }: LangGraphRunnableConfig) {
  const said = messages.at(-1) ?? "";
  const [, drink] = /I drink (\w+)/.exec(said) ?? [];
  if (drink !== undefined) {
    await store?.put(["users", "ada"], "drink", { drink });
  }
  const known = await store?.get(["users", "ada"], "drink");
  return { messages: [`Message ${messages.length}. You drink ${String(known?.value.drink ?? "something")}.`] };
}

// In a program, one of each for the whole process. Both find the daemon as `connect` does.
using checkpointer = new MemorydSaver();
using store = new MemorydStore();
const app = new StateGraph(State).addNode("answer", answer).addEdge(START, "answer").compile({ checkpointer, store });

async function ask(thread: string, question: string): Promise<void> {
  const { messages } = await app.invoke({ messages: [question] }, { configurable: { thread_id: thread } });
  console.log(`${thread}: ${messages.at(-1)}`);
}

for (const thread of ["monday", "tuesday"]) {
  await checkpointer.deleteThread(thread);
}
await ask("monday", "I drink tea.");
await ask("monday", "What do I drink?");
await ask("tuesday", "What do I drink?"); // another conversation, the same user
