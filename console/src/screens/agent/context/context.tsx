import { useState } from "preact/hooks";

import type { ComposeContextResponseJson, ContextMessageJson } from "#protos/context_service_pb";

import { call } from "../../../daemon/call";
import { useFetched } from "../../../daemon/fetched";
import { Inert } from "../../../view/inert";
import { Notice, Problem } from "../../../view/notice";
import { wordOf } from "../../../view/word";
import { Budgets } from "./budgets";
import { Manifest } from "./manifest";
import { CopyMessages } from "./copy-messages";
import { textOf } from "../conversation/message-row";

/** The sections of a context whose request names none; with a conversation, the second ones follow. */
const SECTIONS = ["notes", "documents", "memories"];
const CONVERSATION_SECTIONS = ["plan", "entities", "messages"];

interface Wish {
  query: string;
  conversationId: string;
  maxTokens: string;
  /** The budgets of sections that were moved, in tokens. */
  budgets: Readonly<Record<string, number>>;
  /** Whether a section gets nothing of what another one left of its budget. */
  strictBudgets: boolean;
}

const WISH: Wish = { query: "", conversationId: "", maxTokens: "", budgets: {}, strictBudgets: false };

/** What a model would be given now: the sections in their budgets, and each record that is in or out, with the reason. */
export function Context({ agentId }: { agentId: string }) {
  const [wish, setWish] = useState(WISH);
  const { value: response, error } = useFetched(
    (signal) => call<ComposeContextResponseJson>("ContextService/ComposeContext", requestOf(agentId, wish), signal),
    agentId,
    JSON.stringify(wish),
  );
  const fields = [
    ["query", "Question"],
    ["conversationId", "Conversation"],
    ["maxTokens", "Tokens"],
  ] as const;
  return (
    <>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        {fields.map(([name, title]) => (
          <label key={name}>
            <span>{title}</span>
            <input
              type="search"
              inputMode={name === "maxTokens" ? "numeric" : "text"}
              onChange={(event) => {
                const value = event.currentTarget.value.trim();
                setWish((before) => ({ ...before, [name]: value }));
              }}
            />
          </label>
        ))}
        <label>
          <input
            type="checkbox"
            checked={wish.strictBudgets}
            onChange={(event) => {
              const strictBudgets = event.currentTarget.checked;
              setWish((before) => ({ ...before, strictBudgets }));
            }}
          />
          <span>Strict budgets</span>
        </label>
        {Object.keys(wish.budgets).length > 0 && (
          <button
            type="button"
            onClick={() => {
              setWish((before) => ({ ...before, budgets: {} }));
            }}
          >
            Reset the budgets
          </button>
        )}
      </form>
      {error !== undefined && <Problem error={error} />}
      {!response && error === undefined && <Notice>Composing…</Notice>}
      {response && (
        <div class="split">
          <div class="list">
            <Budgets
              response={response}
              budgets={wish.budgets}
              onMove={(section, maxTokens) => {
                setWish((before) => ({ ...before, budgets: { ...before.budgets, [section]: maxTokens } }));
              }}
            />
            <Manifest agentId={agentId} items={response.manifest ?? []} revision={response.revision ?? "0"} />
          </div>
          <Prompt messages={response.messages ?? []} />
        </div>
      )}
    </>
  );
}

function requestOf(agentId: string, { maxTokens, budgets, ...rest }: Wish): object {
  const sections = [...SECTIONS, ...(rest.conversationId ? CONVERSATION_SECTIONS : [])];
  return {
    agentId,
    ...rest,
    ...(maxTokens && { maxTokens: Number(maxTokens) }),
    // Without a budget of its own, each section has that of a context whose request names no sections.
    sections: sections.map((name) => ({ [name]: {}, ...(name in budgets && { maxTokens: budgets[name] }) })),
    includeManifest: true,
    filter: { allUsers: true },
  };
}

function Prompt({ messages }: { messages: readonly ContextMessageJson[] }) {
  return (
    <section class="card prompt" aria-label="Messages" tabIndex={0}>
      {messages.length === 0 && <Notice>A model would be given nothing.</Notice>}
      {messages.length > 0 && <CopyMessages messages={messages} />}
      {messages.map((message, index) => (
        <article key={index}>
          <h2>
            {wordOf(message.role)} <span class="dim">{message.section}</span>
          </h2>
          <p>
            <Inert text={textOf(message)} max={4_000} />
          </p>
        </article>
      ))}
    </section>
  );
}
