// An assistant that remembers its users. Needs a running daemon, at MEMORYD_ADDRESS or 127.0.0.1:7600.

import { connect, MemorydError, type Agent } from "memoryd";
import { MessageRole, PlanStepStatus } from "memoryd/v1";

// [sample]

/** Answers a message of a user. A scripted answer stands for that of a model, which would get the prompt. */
async function answer(agent: Agent, conversationId: string, message: string): Promise<string> {
  await agent.conversations.append(conversationId, [{ role: MessageRole.USER, content: message }]);
  const { messages } = await agent.compose({
    conversationId,
    maxTokens: 4_000,
    sections: [
      { text: "You book journeys." },
      { notes: {} },
      { plan: {} },
      { memories: { limit: 5 } },
      { messages: {} },
    ],
  });
  for (const { section, content } of messages) {
    console.log(`[${section}] ${content}`);
  }
  const content = "A window seat on the night train is booked.";
  await agent.conversations.append(conversationId, [{ role: MessageRole.ASSISTANT, content }]);
  return content;
}

async function main(): Promise<void> {
  using client = connect({ origin: "assistant" });
  await client.agent("assistant").end();
  const agent = client.agent("assistant").user("ada"); // all that is written and read below is Ada's
  await agent.memories.remember("Ada prefers a window seat.", { tags: ["travel"], importance: 0.8 });
  await agent.notes.create("Budget", "At most 200 euros for one journey.");
  const conversationId = "oslo";
  const { steps } = await agent.plans.create("Travel to Oslo", { conversationId, steps: ["book a train", "pack"] });
  console.log(await answer(agent, conversationId, "Please book a seat for me."));
  await agent.plans.updateStep(steps[0]?.stepId ?? "", { status: PlanStepStatus.COMPLETED }, { conversationId });
  const { memories } = await agent.memories.recall("Which seat does Ada like?");
  console.log("remembered:", memories[0]?.memory?.content);
}

// [end]

try {
  await main();
} catch (error) {
  if (!(error instanceof MemorydError)) {
    throw error;
  }
  console.error(`assistant: ${error.message}`);
  process.exitCode = 1;
}
