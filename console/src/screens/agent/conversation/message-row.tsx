import type { MessageJson, MessagePartJson } from "#protos/conversation_pb";
import type { MemoryJson } from "#protos/memory_pb";

import { Line } from "../../../view/inert";
import { Age } from "../../../view/time";
import { count, wordOf } from "../../../view/word";

interface Props {
  message: MessageJson;
  /** The numbers between the message and the one before it. */
  missing: { first: number; last: number };
  isIngested: boolean;
  memories: readonly MemoryJson[];
  isChosen: boolean;
  onChoose: (message: MessageJson) => void;
}

/** A message on two lines. */
export function MessageRow({ message, missing, isIngested, memories, isChosen, onChoose }: Props) {
  return (
    <button
      type="button"
      class="row"
      aria-pressed={isChosen}
      onClick={() => {
        onChoose(message);
      }}
    >
      <span class="title">
        <span class="verb changed">{wordOf(message.role)}</span>
        <Line text={textOf(message)} />
      </span>
      <span class="side dim">{count(message.tokenCount)} tokens</span>
      <span class="sub dim">
        <span>
          {message.number}
          {message.name && " "}
        </span>
        {message.name && <Line text={message.name} />}
        <span aria-hidden="true">·</span>
        <Age time={message.createTime} />
        {missing.last >= missing.first && <span class="badge">{rangeOf(missing.first, missing.last)} removed</span>}
        {isIngested && <span class="tag">ingested</span>}
        {memories.length > 0 && (
          <span class="tag">{memories.length === 1 ? "1 memory" : `${memories.length} memories`}</span>
        )}
      </span>
    </button>
  );
}

/** Return numbers of messages in words. */
export function rangeOf(first: number, last: number): string {
  return first === last ? count(first) : `${count(first)} to ${count(last)}`;
}

/** Return a message as a text: its content, or its parts one after the other. */
export function textOf({ content, parts }: Pick<MessageJson, "content" | "parts">): string {
  return content || (parts ?? []).map(partText).join(" ");
}

function partText({ text, toolCall, toolResult, file }: MessagePartJson): string {
  if (toolCall) return `calls ${toolCall.name ?? ""}(${toolCall.argumentsJson ?? ""})`;
  if (toolResult) return `${toolResult.failed ? "failed" : "returned"}: ${toolResult.content ?? ""}`;
  if (file) return `file ${file.name || file.uri || file.documentId || ""}`;
  return text ?? "";
}
