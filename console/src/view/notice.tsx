import type { ComponentChildren } from "preact";

import { wordsOf } from "../daemon/call";

/** Why something cannot be shown. */
export function Problem({ error }: { error: unknown }) {
  return (
    <p class="notice bad" role="alert">
      {wordsOf(error)}
    </p>
  );
}

/** That there is nothing to show, or not yet. */
export function Notice({ children }: { children: ComponentChildren }) {
  return <p class="notice">{children}</p>;
}
