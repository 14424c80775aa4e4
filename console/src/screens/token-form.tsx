import { useRef } from "preact/hooks";

import { token } from "../daemon/token";

/** Asks for a token, which stays in this tab. */
export function TokenForm({ onToken }: { onToken: (token: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      class="card sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        onToken(field.current?.value.trim() ?? "");
      }}
    >
      <h1>This daemon needs a token</h1>
      <p>
        <code>memoryd token create</code> makes one. It stays in this tab, and is forgotten once the tab is closed.
      </p>
      {token() && (
        <p class="notice bad" role="alert">
          The daemon does not know this token.
        </p>
      )}
      <label for="token">Token</label>
      <input id="token" ref={field} type="password" autocomplete="off" required />
      <button type="submit">Sign in</button>
    </form>
  );
}
