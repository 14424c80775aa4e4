/*
 * A chat with Vercel's AI SDK whose model has the memory of an agent. A scripted model answers from what is in its prompt,
 * so that this runs without a real one.
 */
import { generateText, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { connect } from "memoryd";
import { memoryMiddleware } from "memoryd/ai-sdk";

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};
const finishReason = { unified: "stop" as const, raw: undefined };

function answer(prompt: unknown): string {
  const [, place] = /moved to (\w+)/.exec(JSON.stringify(prompt)) ?? [];
  return place === undefined ? "I do not know." : `You live in ${place}.`;
}

const scripted = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: "text", text: answer(prompt) }],
    ...{ usage, finishReason, warnings: [] },
  }),
  doStream: async ({ prompt }) => ({
    stream: simulateReadableStream({
      chunks: [
        { type: "text-start", id: "1" },
        ...answer(prompt)
          .split(/(?<= )/)
          .map((delta) => ({ type: "text-delta" as const, id: "1", delta })),
        { type: "text-end", id: "1" },
        { type: "finish", usage, finishReason },
      ],
    }),
  }),
});

using client = connect();
const agent = client.agent("ai-sdk-chat").user("ada");
await agent.end();

async function chat(conversationId: string, prompt: string): Promise<void> {
  const model = wrapLanguageModel({ model: scripted, middleware: memoryMiddleware(agent, { conversationId }) });
  const { text } = await generateText({ model, prompt });
  console.log(`${conversationId}: ${text}`);
}

await chat("monday", "Where do I live?");
await chat("monday", "I moved to Lisbon.");
// Another conversation, whose prompt has no word of the first one.
const model = wrapLanguageModel({
  model: scripted,
  middleware: memoryMiddleware(agent, { conversationId: "tuesday" }),
});
let streamed = "";
for await (const piece of streamText({ model, prompt: "To which city did I move?" }).textStream) {
  streamed += piece;
}
console.log(`tuesday: ${streamed}`);
for await (const message of agent.conversations.messages("tuesday")) {
  console.log(`stored: ${message.content}`);
}
