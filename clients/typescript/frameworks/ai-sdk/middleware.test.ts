import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { RecordNotFound, type Agent } from "memoryd";
import { memoryMiddleware, type MemoryMiddlewareOptions } from "memoryd/ai-sdk";
import { startDaemon } from "memoryd/testing";
import { MessageRole } from "memoryd/v1";
import { z } from "zod";

const daemon = await startDaemon();
afterAll(() => daemon.stop());

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

function finish(unified: "stop" | "tool-calls"): LanguageModelV4FinishReason {
  return { unified, raw: undefined };
}

/** A model that gives these answers one after the other, and records what it is asked. */
class Scripted {
  readonly prompts: LanguageModelV4Prompt[] = [];
  readonly #model: MockLanguageModelV4;

  constructor(...answers: LanguageModelV4Content[][]) {
    const next = (prompt: LanguageModelV4Prompt): LanguageModelV4Content[] => {
      this.prompts.push(prompt);
      const answer = answers.shift();
      if (!answer) {
        throw new Error("the model is not available");
      }
      return answer;
    };
    this.#model = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        const content = next(prompt);
        return { content, usage, finishReason: finish(calls(content)), warnings: [] };
      },
      doStream: async ({ prompt }) => ({ stream: convertArrayToReadableStream(partsOf(next(prompt))) }),
    });
  }

  with(agent: Agent, options: MemoryMiddlewareOptions = {}) {
    return wrapLanguageModel({ model: this.#model, middleware: memoryMiddleware(agent, options) });
  }

  /** The roles and texts of a prompt. */
  texts(index = 0): string[] {
    return (this.prompts[index] ?? []).map(({ role, content }) => {
      const parts =
        typeof content === "string" ? [content] : content.map((part) => ("text" in part ? part.text : part.type));
      return `${role}: ${parts.join(" ")}`;
    });
  }
}

function calls(content: LanguageModelV4Content[]): "stop" | "tool-calls" {
  return content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
}

function partsOf(content: LanguageModelV4Content[]): LanguageModelV4StreamPart[] {
  const parts = content.flatMap((part, index): LanguageModelV4StreamPart[] => {
    const id = String(index);
    if (part.type !== "text") {
      return [part as LanguageModelV4StreamPart];
    }
    const deltas = [...part.text].map((delta): LanguageModelV4StreamPart => ({ type: "text-delta", id, delta }));
    return [{ type: "text-start", id }, ...deltas, { type: "text-end", id }];
  });
  return [
    { type: "stream-start", warnings: [] },
    ...parts,
    { type: "finish", usage, finishReason: finish(calls(content)) },
  ];
}

function text(words: string): LanguageModelV4Content {
  return { type: "text", text: words };
}

async function saidIn(agent: Agent, conversationId: string): Promise<string[]> {
  const said: string[] = [];
  for await (const { role, content, parts } of agent.conversations.messages(conversationId)) {
    const kinds = parts.map(({ part }) =>
      part.case === "text"
        ? part.value
        : part.case === "toolCall"
          ? `${part.value.name}(${part.value.argumentsJson})`
          : part.case === "toolResult"
            ? `${part.value.name} = ${part.value.content}`
            : (part.value?.uri ?? ""),
    );
    said.push(`${MessageRole[role]}: ${content || kinds.join(" ")}`);
  }
  return said;
}

async function remembered(agent: Agent): Promise<string[]> {
  const contents: string[] = [];
  for await (const { content } of agent.memories.list()) {
    contents.push(content);
  }
  return contents.sort();
}

it("puts what the agent knows behind the system prompt, and stores what was said", async () => {
  const agent = daemon.newAgent().user("ada");
  await agent.notes.create("Style", "Answer in one sentence.");
  await agent.memories.remember("Ada drinks tea.");
  await agent.memories.remember("Bob drinks coffee.", { userId: "bob" });
  const scripted = new Scripted([text("You drink tea.")]);
  const model = scripted.with(agent, { conversationId: "talk" });
  const { text: answer } = await generateText({ model, instructions: "Be kind.", prompt: "What does Ada drink?" });
  expect(answer).toBe("You drink tea.");
  const [system, notes, memories, question] = scripted.texts();
  expect([system, question]).toEqual(["system: Be kind.", "user: What does Ada drink?"]);
  expect(notes).toMatch(/^system: [^]*Answer in one sentence/);
  expect(memories).toMatch(/^user: [^]*Ada drinks tea/);
  expect(scripted.texts().join()).not.toContain("Bob");
  expect(await saidIn(agent, "talk")).toEqual(["USER: What does Ada drink?", "ASSISTANT: You drink tea."]);
  expect((await agent.conversations.get("talk")).userId).toBe("ada");
  expect(await remembered(agent)).toEqual(["Ada drinks tea.", "What does Ada drink?"]);
});

it("stores a stream once it has ended", async () => {
  const agent = daemon.newAgent();
  const model = new Scripted([text("One moment. "), text("It is noon.")]).with(agent, { conversationId: "talk" });
  const result = streamText({ model, prompt: "What time is it?" });
  let streamed = "";
  for await (const piece of result.textStream) {
    streamed += piece;
  }
  expect(streamed).toBe("One moment. It is noon.");
  expect(await saidIn(agent, "talk")).toEqual(["USER: What time is it?", "ASSISTANT: One moment.  It is noon."]);
  expect(await remembered(agent)).toEqual(["What time is it?"]);
});

for (const way of ["generate", "stream"] as const) {
  it(`appends each message of a turn with tools once: ${way}`, async () => {
    const agent = daemon.newAgent();
    const call = { type: "tool-call" as const, toolCallId: "c1", toolName: "weather", input: '{"city":"Oslo"}' };
    const scripted = new Scripted([call], [text("Rain.")], [text("Yes.")]);
    const model = scripted.with(agent, { conversationId: "talk" });
    const inputSchema = z.object({ city: z.string() });
    const weather = tool({ description: "", inputSchema, execute: async () => ({ sky: "rain" }) });
    const first = { role: "user" as const, content: "How is the weather in Oslo?" };
    const options = { model, tools: { weather }, stopWhen: stepCountIs(3) };
    const run = async (messages: Parameters<typeof generateText>[0]["messages"] & object) => {
      if (way === "generate") {
        return (await generateText({ ...options, messages })).response.messages;
      }
      const result = streamText({ ...options, messages });
      await result.consumeStream();
      return (await result.response).messages;
    };
    const messages = await run([first]);
    await run([first, ...messages, { role: "user", content: "Do I need an umbrella?" }]);
    expect(await saidIn(agent, "talk")).toEqual([
      "USER: How is the weather in Oslo?",
      'ASSISTANT: weather({"city":"Oslo"})',
      'TOOL: weather = {"sky":"rain"}',
      "ASSISTANT: Rain.",
      "USER: Do I need an umbrella?",
      "ASSISTANT: Yes.",
    ]);
    expect(await remembered(agent)).toEqual(["Do I need an umbrella?", "How is the weather in Oslo?"]);
  });
}

it("stores nothing of a call that fails, and of a stream that breaks off", async () => {
  const agent = daemon.newAgent();
  const failing = new Scripted().with(agent, { conversationId: "talk" });
  await expect(generateText({ model: failing, prompt: "Hello?", maxRetries: 0 })).rejects.toThrow(/not available/);
  const stream = convertArrayToReadableStream(partsOf([text("It is")]).slice(0, -1));
  const breaking = wrapLanguageModel({
    model: new MockLanguageModelV4({ doStream: { stream } }),
    middleware: memoryMiddleware(agent, { conversationId: "talk" }),
  });
  await streamText({ model: breaking, prompt: "Hello?", onError: () => undefined }).consumeStream();
  await expect(agent.conversations.get("talk")).rejects.toThrow(RecordNotFound);
  expect(await remembered(agent)).toEqual([]);
});

it("composes the sections that are wanted, and stores nothing if nothing is wanted", async () => {
  const agent = daemon.newAgent();
  await agent.set("mood", "curious");
  await agent.notes.create("Style", "Answer in one sentence.");
  const scripted = new Scripted([text("Hello.")]);
  const model = scripted.with(agent, { sections: [{ entries: {} }], remembers: false, maxTokens: 500, model: "gpt-5" });
  await generateText({ model, prompt: "Hello?" });
  expect(scripted.texts()).toHaveLength(2);
  expect(scripted.texts()[0]).toContain("curious");
  expect(await remembered(agent)).toEqual([]);
});

it("rejects the call of a model while the daemon cannot be reached, or goes on without memory", async () => {
  await using other = await startDaemon();
  const agent = other.newAgent({ timeoutMs: 500, connectTimeoutMs: 500 });
  await other.stop();
  const scripted = new Scripted([text("Hello.")]);
  await expect(generateText({ model: scripted.with(agent), prompt: "Hello?", maxRetries: 0 })).rejects.toThrow();
  expect(scripted.prompts).toEqual([]);
  const errors: unknown[] = [];
  const model = scripted.with(agent, { conversationId: "talk", onError: (error) => errors.push(error) });
  expect((await generateText({ model, prompt: "Hello?" })).text).toBe("Hello.");
  expect(scripted.texts()).toEqual(["user: Hello?"]);
  expect(errors).toHaveLength(3);
});

it("keeps the name of a file that is in the prompt itself", async () => {
  const agent = daemon.newAgent();
  const model = new Scripted([text("A cat.")]).with(agent, { conversationId: "talk" });
  const content = [
    { type: "text" as const, text: "What is this?" },
    { type: "file" as const, data: new Uint8Array([1]), mediaType: "application/pdf", filename: "cat.pdf" },
  ];
  await generateText({ model, messages: [{ role: "user", content }] });
  expect(await saidIn(agent, "talk")).toEqual(["USER: What is this? [file cat.pdf]", "ASSISTANT: A cat."]);
});

it("asks for the beginning of a question that is too long", async () => {
  const agent = daemon.newAgent();
  await agent.memories.remember("Ada drinks tea.");
  const scripted = new Scripted([text("Tea.")]);
  const prompt = `What does Ada drink? ${"\u{1f375}".repeat(2_000)}`;
  await generateText({ model: scripted.with(agent, { remembers: false }), prompt });
  expect(scripted.texts()[0]).toContain("Ada drinks tea.");
});
