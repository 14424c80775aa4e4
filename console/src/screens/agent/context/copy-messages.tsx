import { useState } from "preact/hooks";

import type { ContextMessageJson } from "#protos/context_service_pb";

import { wordOf } from "../../../view/word";

/** A button that copies the messages of a context as JSON, with the names of roles that models know. */
export function CopyMessages({ messages }: { messages: readonly ContextMessageJson[] }) {
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    const text = JSON.stringify(messages.map(forModel), null, 2);
    try {
      await navigator.clipboard.writeText(text);
      setOutcome(messages.length === 1 ? "1 message is copied." : `${messages.length} messages are copied.`);
    } catch {
      // Without TLS, browsers let a page of another machine copy nothing.
      setOutcome("The browser does not let this page copy.");
    }
  };
  return (
    <p class="copy">
      <button
        type="button"
        onClick={() => {
          void copy();
        }}
      >
        Copy as messages
      </button>{" "}
      <span class="dim" role="status">
        {outcome}
      </span>
    </p>
  );
}

function forModel({ role, content, parts, name }: ContextMessageJson): object {
  return { role: wordOf(role), ...(name && { name }), ...(parts ? { parts } : { content: content ?? "" }) };
}
