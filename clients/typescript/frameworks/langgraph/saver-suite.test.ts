import { deltaChannelHistoryTests, specTest } from "@langchain/langgraph-checkpoint-validation";
import { MemorydSaver } from "memoryd/langgraph";
import { startDaemon } from "memoryd/testing";

const daemon = await startDaemon("--embedder", "none");
afterAll(() => daemon.stop());
let created = 0;

const initializer = {
  checkpointerName: "memoryd",
  createCheckpointer: () => {
    // Its own prefix: a list without a thread reads all threads.
    const agentPrefix = `suite-${(created += 1)}/`;
    return new MemorydSaver({ client: daemon.address, agentPrefix });
  },
  destroyCheckpointer: (saver: MemorydSaver) => {
    saver.close();
  },
};

specTest(initializer);
deltaChannelHistoryTests(initializer);
