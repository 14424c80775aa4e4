import type { MessageJson, MessagePartJson } from "#protos/conversation_pb";
import type { MemoryJson } from "#protos/memory_pb";

import { to } from "../../../route";
import { Fields, Value } from "../../../view/fields";
import { Inert, Line } from "../../../view/inert";
import { timelineOf } from "../past/changes-of";

interface Props {
  agentId: string;
  message: MessageJson;
  memories: readonly MemoryJson[];
}

/** A message with its parts, and the memories that were made of it. */
export function MessageDetail({ agentId, message, memories }: Props) {
  const { content, parts, ...rest } = message;
  return (
    <>
      {content && (
        <p>
          <Inert text={content} max={4_000} />
        </p>
      )}
      {parts?.map((part, index) => (
        <Part key={index} part={part} />
      ))}
      <h3>Memories made of it</h3>
      {memories.length === 0 && <p class="dim">None that names this message as its source.</p>}
      <ul class="plain" aria-label="Memories made of it">
        {memories.map((memory) => (
          <li key={memory.memoryId}>
            <a class="line" href={to("agents", agentId, "memories", memory.memoryId ?? "")}>
              <Line text={memory.content ?? ""} />
            </a>
          </li>
        ))}
      </ul>
      <h3>Message</h3>
      <Fields record={rest} />
      <p>
        <a href={timelineOf(agentId, "message", message.messageId ?? "")}>Who wrote this?</a>
      </p>
    </>
  );
}

function Part({ part }: { part: MessagePartJson }) {
  const { text, toolCall, toolResult, file } = part;
  if (toolCall) {
    return (
      <section aria-label="Tool call">
        <h3>
          Calls <Inert text={toolCall.name ?? ""} max={80} />
        </h3>
        <Value json={toolCall.argumentsJson ?? ""} />
        <p class="dim">
          <Inert text={toolCall.toolCallId ?? ""} max={80} />
        </p>
      </section>
    );
  }
  if (toolResult) {
    return (
      <section aria-label="Tool result">
        <h3>
          {toolResult.failed ? "Failed: " : "Result of "}
          <Inert text={toolResult.name || toolResult.toolCallId || ""} max={80} />
        </h3>
        <Value json={toolResult.content ?? ""} />
      </section>
    );
  }
  if (file) {
    return (
      <section aria-label="File">
        <h3>File</h3>
        <Fields record={file} />
      </section>
    );
  }
  return (
    <p>
      <Inert text={text ?? ""} max={4_000} />
    </p>
  );
}
