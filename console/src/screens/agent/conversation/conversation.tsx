import { useState } from "preact/hooks";

import type { ConversationJson, MessageJson } from "#protos/conversation_pb";
import type { GetConversationResponseJson, ListMessagesResponseJson } from "#protos/conversation_service_pb";
import type { EventJson } from "#protos/event_pb";
import type { MemoryJson } from "#protos/memory_pb";

import { call } from "../../../daemon/call";
import { useChanges } from "../../../daemon/changes";
import { useFetched } from "../../../daemon/fetched";
import { useListing } from "../../../daemon/listing";
import { to } from "../../../route";
import { Detail } from "../../../view/detail";
import { Inert, Line } from "../../../view/inert";
import { Notice, Problem } from "../../../view/notice";
import { Rows } from "../../../view/rows";
import { count } from "../../../view/word";
import { timelineOf } from "../past/changes-of";
import { Compactions } from "./compactions";
import { memoriesByMessage, type MadeMemories } from "./made-memories";
import { MessageDetail } from "./message-detail";
import { MessageRow } from "./message-row";

const PAGE_SIZE = 200;
const ROW_PX = 56;

/** A conversation: its messages, what was compacted, and what was learned from it. It follows the changes. */
export function Conversation({ agentId, conversationId }: { agentId: string; conversationId: string }) {
  const [appended, setAppended] = useState<readonly MessageJson[]>([]);
  const [removals, setRemovals] = useState(0);
  const version = useChanges(
    [
      {
        agentIds: [agentId],
        kinds: ["RECORD_KIND_CONVERSATION", "RECORD_KIND_MESSAGE", "RECORD_KIND_MEMORY"],
        record: { conversationIds: [conversationId] },
      },
    ],
    (events) => {
      if (events.some(isRemoval)) {
        // All are listed again.
        setAppended([]);
        setRemovals((before) => before + 1);
      } else {
        setAppended((before) => [...before, ...messagesOf(events)]);
      }
      return true;
    },
  );
  const key = `${agentId}/${conversationId}`;
  const { value, error } = useFetched(
    (signal) => {
      const request = { agentId, conversationId };
      return call<GetConversationResponseJson>("ConversationService/GetConversation", request, signal);
    },
    key,
    version,
  );
  const made = useFetched((signal) => memoriesByMessage(agentId, conversationId, signal), key, version);
  const conversation = value?.conversation ?? {};
  return (
    <>
      <div class="filters">
        <a href={to("agents", agentId, "conversations")}>All conversations</a>
        <h2>
          <Line text={conversation.title || conversationId} />
        </h2>
        {value && <span class="dim">{figuresOf(conversation)}</span>}
        <a href={timelineOf(agentId, "conversation", conversationId)}>Who wrote this?</a>
      </div>
      {error !== undefined && <Problem error={error} />}
      {made.error !== undefined && <Problem error={made.error} />}
      {conversation.summary && (
        <details class="card summarized">
          <summary>Summary of messages that were compacted</summary>
          <Inert text={conversation.summary} max={4_000} />
        </details>
      )}
      {version !== undefined && <Compactions agentId={agentId} conversationId={conversationId} version={removals} />}
      {version !== undefined && (
        <Messages
          key={removals}
          agentId={agentId}
          conversation={{ ...conversation, conversationId }}
          appended={appended}
          made={made.value}
        />
      )}
    </>
  );
}

function figuresOf({ messageCount, tokenCount, ingestedNumber }: ConversationJson): string {
  const figures = `${count(messageCount)} messages, ${count(tokenCount)} tokens`;
  return ingestedNumber ? `${figures}, ingested up to message ${count(ingestedNumber)}` : `${figures}, not ingested`;
}

function messagesOf(events: readonly EventJson[]): readonly MessageJson[] {
  return events.flatMap(({ message }) => message?.message ?? []);
}

function isRemoval({ type }: EventJson): boolean {
  return /REMOVED|COMPACTED|DELETED|CLEARED|RESTORED/.test(type ?? "");
}

interface MessagesProps {
  agentId: string;
  conversation: ConversationJson;
  /** Those of the stream, of which the listing may have some. */
  appended: readonly MessageJson[];
  made: MadeMemories | undefined;
}

const NONE: readonly MemoryJson[] = [];

function Messages({ agentId, conversation, appended, made }: MessagesProps) {
  const { conversationId } = conversation;
  const [chosen, setChosen] = useState<MessageJson>();
  const listing = useListing(async (pageToken, signal) => {
    const request = { agentId, conversationId, pageSize: PAGE_SIZE, pageToken };
    const page = await call<ListMessagesResponseJson>("ConversationService/ListMessages", request, signal);
    return { items: page.messages ?? [], next: page.nextPageToken ?? "", total: Number(page.totalCount ?? 0) };
  }, `${agentId}/${conversationId}`);
  const last = numberOf(listing.items.at(-1));
  const newer = listing.isComplete ? appended.filter((message) => numberOf(message) > last) : [];
  const messages = [...listing.items, ...newer];
  const memoriesOf = (message: MessageJson) => made?.byNumber.get(numberOf(message)) ?? NONE;
  return (
    <div class="split">
      <div class="list">
        {listing.error !== undefined && <Problem error={listing.error} />}
        {listing.isComplete && messages.length === 0 && listing.error === undefined && (
          <Notice>There are no messages.</Notice>
        )}
        <Rows
          label="Messages"
          count={listing.isComplete ? messages.length : listing.total}
          height={ROW_PX}
          need={listing.need}
          row={(index) => {
            const message = messages[index];
            if (!message) return "…";
            return (
              <MessageRow
                message={message}
                missing={{ first: numberOf(messages[index - 1]) + 1, last: numberOf(message) - 1 }}
                isIngested={numberOf(message) <= Number(conversation.ingestedNumber ?? 0)}
                memories={memoriesOf(message)}
                isChosen={message === chosen}
                onChoose={setChosen}
              />
            );
          }}
        />
        {made?.isCut && <p class="dim">Not all memories of this conversation were read.</p>}
      </div>
      {chosen && (
        <Detail
          title="message"
          onClose={() => {
            setChosen(undefined);
          }}
        >
          <MessageDetail agentId={agentId} message={chosen} memories={memoriesOf(chosen)} />
        </Detail>
      )}
    </div>
  );
}

function numberOf(message: MessageJson | undefined): number {
  return Number(message?.number ?? 0);
}
