// Shows the main operations of the client in order. Needs a running daemon, at MEMORYD_ADDRESS or 127.0.0.1:7600.

import { connect, countsByKind, MemorydError, type Scope } from "memoryd";
import { AgentService, EntryType, EventType, RecordKind, ServerService } from "memoryd/v1";

const AGENT_ID = "first-steps";

async function main(): Promise<void> {
  using client = connect();
  const { version } = await client.stub(ServerService).getServerInfo({});
  console.log(`memoryd ${version} at ${client.target}`);
  const { deleted } = await client.agent(AGENT_ID).end();
  console.log(`an earlier agent ended: ${deleted}`);
  await remember();
  const { stats } = await client.stub(AgentService).getAgentStats({ agentId: AGENT_ID });
  console.log(`bytes used: ${stats?.storageBytes ?? 0n}`);
  const { cleared } = await client.agent(AGENT_ID).end();
  console.log(`entries removed: ${countsByKind(cleared).get(RecordKind.ENTRY) ?? 0}`);
}

async function remember(): Promise<void> {
  // [first steps]
  using client = connect({ origin: "first-steps" });
  const agent = client.agent("first-steps");
  await using watch = await agent.watch(); // no commit after this is missed

  await agent.set("user", { name: "Ada", likes: ["chess", "tea"] }, { entryType: EntryType.PREFERENCE });
  console.log("user:", await agent.get<{ name: string; likes: string[] }>("user"));
  console.log("nothing there:", await agent.get("nothing"));

  // No concurrent update is lost, and only one of all callers runs its factory.
  await agent.update<number>("visits", (visits = 0) => visits + 1);
  console.log("greeting:", await agent.getOrSet("greeting", () => "Good morning, Ada"));

  // Reads in a scope fall back to its parent. At the end its entries are copied to the parent, and it is disposed.
  const bookTable = async (task: Scope): Promise<void> => {
    await task.set("table", 7);
    console.log("in the task:", await task.get("table"), await task.get("visits"));
  };
  await agent.withScope("book a table", bookTable, { merge: "overwrite" });
  console.log("after the task:", await agent.get("table"));

  for await (const { revision, type, subject } of watch) {
    if (subject.case === "entry") console.log(revision, EventType[type], subject.value.key);
    if (subject.case === "scope") console.log(revision, EventType[type], subject.value.name);
    if (type === EventType.SCOPE_DISPOSED) break;
  }
  // [end]
}

try {
  await main();
} catch (error) {
  if (!(error instanceof MemorydError)) {
    throw error;
  }
  console.error(`first steps: ${error.message}`);
  process.exitCode = 1;
}
