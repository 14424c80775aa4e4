import type {
  JSONValue,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import type { ContextMessage } from "#protos/memoryd/v1/context_service_pb";
import { MessageRole } from "#protos/memoryd/v1/conversation_pb";
import type { MessageDraft, MessagePart } from "../kinds/inputs.js";

const QUERY_BYTES_MAX = 4_096;

type PromptPart = Exclude<LanguageModelV4Message["content"], string>[number];

/** Returns the prompt with the messages of a context behind the system's own, those of the system first. */
export function withContext(prompt: LanguageModelV4Prompt, context: readonly ContextMessage[]): LanguageModelV4Prompt {
  const start = prompt.findIndex(({ role }) => role !== "system");
  const end = start === -1 ? prompt.length : start;
  const isSystem = ({ role }: ContextMessage) => role === MessageRole.SYSTEM;
  return [
    ...prompt.slice(0, end),
    ...context.filter(isSystem).map(({ content }): LanguageModelV4Message => ({ role: "system", content })),
    ...context
      .filter((message) => !isSystem(message))
      .map(({ content }): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text: content }] })),
    ...prompt.slice(end),
  ];
}

/** Returns the messages that the prompt has since the model's last answer: the user's, or the results of tools. */
export function newMessages(prompt: LanguageModelV4Prompt): LanguageModelV4Message[] {
  const last = prompt.findLastIndex(({ role }) => role === "assistant");
  return prompt.slice(last + 1).filter(({ role }) => role !== "system");
}

/** Returns the beginning of the user's last message that has words; empty if there is none. */
export function questionIn(prompt: LanguageModelV4Prompt): string {
  const question = prompt.flatMap(wordsOf).at(-1) ?? "";
  const bytes = Buffer.from(question).subarray(0, QUERY_BYTES_MAX);
  // A character that was cut has become the replacement character.
  return bytes.length === Buffer.byteLength(question) ? question : bytes.toString().replace(/\ufffd$/, "");
}

/** Returns the words of a message of the user: none if it is blank, or of someone else. */
export function wordsOf(message: LanguageModelV4Message): string[] {
  if (message.role !== "user") {
    return [];
  }
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return text.trim() === "" ? [] : [text];
}

/** Returns a message of the prompt as one of a conversation; none if nothing of it is kept. */
export function draftsOf({ role, content }: LanguageModelV4Message): MessageDraft[] {
  const parts = typeof content === "string" ? [textPart(content)] : content.map(promptPart);
  return draftOf(ROLES[role], parts.flat());
}

/** Returns what a model has generated as a message of a conversation; none if nothing of it is kept. */
export function answerOf(content: readonly LanguageModelV4Content[]): MessageDraft[] {
  return draftOf(MessageRole.ASSISTANT, content.flatMap(answerPart));
}

const ROLES = {
  system: MessageRole.SYSTEM,
  user: MessageRole.USER,
  assistant: MessageRole.ASSISTANT,
  tool: MessageRole.TOOL,
} as const;

function draftOf(role: MessageRole, parts: readonly MessagePart[]): MessageDraft[] {
  const [first] = parts;
  if (first === undefined) {
    return [];
  }
  return [parts.length === 1 && first.text !== undefined ? { role, content: first.text } : { role, parts }];
}

function textPart(text: string): MessagePart[] {
  return text === "" ? [] : [{ text }];
}

function promptPart(part: PromptPart): MessagePart[] {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "file":
      // The content of a file itself is not stored, only that there was one.
      return part.data.type === "url" && part.data.url.protocol !== "data:"
        ? [{ file: { uri: part.data.url.href, mediaType: part.mediaType } }]
        : textPart(`[file ${part.filename ?? part.mediaType}]`);
    case "tool-call":
      return [toolCall(part.toolCallId, part.toolName, JSON.stringify(part.input))];
    case "tool-result":
      return [toolResult(part.toolCallId, part.toolName, outputText(part.output))];
    default:
      return [];
  }
}

function answerPart(part: LanguageModelV4Content): MessagePart[] {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "tool-call":
      return [toolCall(part.toolCallId, part.toolName, part.input)];
    case "tool-result":
      return [toolResult(part.toolCallId, part.toolName, jsonText(part.result))];
    default:
      return [];
  }
}

function toolCall(toolCallId: string, name: string, argumentsJson: string): MessagePart {
  return { toolCall: { toolCallId, name, argumentsJson } };
}

function toolResult(toolCallId: string, name: string, content: string): MessagePart {
  return { toolResult: { toolCallId, name, content } };
}

function outputText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "content":
      return output.value.map((each) => (each.type === "text" ? each.text : `[${each.type}]`)).join("\n");
    case "execution-denied":
      return output.reason ?? "denied";
    default:
      return jsonText(output.value);
  }
}

function jsonText(value: JSONValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
