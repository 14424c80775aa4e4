import { useMemo, useState } from "preact/hooks";

import type { GetServerInfoResponseJson } from "#protos/server_service_pb";

import { call, CallError } from "./daemon/call";
import { usePolled } from "./daemon/polled";
import { setToken, token } from "./daemon/token";
import { to, useRoute } from "./route";
import { Agent } from "./screens/agent";
import { Agents } from "./screens/agents";
import { Live } from "./screens/live";
import { Overview } from "./screens/overview";
import { TokenForm } from "./screens/token-form";
import { Announcement, CHANGING_VERBS, ChangesProvider, ChangesSwitch, type Done } from "./view/changing";
import { wordOf } from "./view/word";

const INTERVAL_MS = 2_000;
const SCREENS = [
  ["", "Overview"],
  ["agents", "Agents"],
  ["live", "Live"],
] as const;

export interface Health {
  info: GetServerInfoResponseJson | undefined;
  /** Times that the newest calls took from here, in milliseconds, the latest last. */
  milliseconds: readonly number[];
  /** The numbers of the daemon's calls and watches in progress, the latest last. */
  calls: readonly number[];
  watches: readonly number[];
  /** Sizes of the large requests and of the responses that are on their way, in bytes, the latest last. */
  bytes: readonly number[];
  error: unknown;
}

type Samples = Omit<Health, "info" | "error">;

const SAMPLES_MAX = 60;

export function App() {
  const [screen = "", name = "", part = "", ...rest] = useRoute();
  const [tokens, setTokens] = useState(0);
  const health = useHealth(tokens);
  const isRefused = health.error instanceof CallError && health.error.code === "unauthenticated";
  const [areAllowed, setAllowed] = useState(false);
  const [done, setDone] = useState<Done>();
  const verbs = CHANGING_VERBS.filter((verb) => health.info?.callerVerbs?.includes(verb));
  const changes = useMemo(
    () => ({ verbs: new Set(areAllowed ? verbs : []), announce: setDone }),
    [areAllowed, verbs.join()],
  );
  const changeToken = (value: string) => {
    setToken(value);
    setTokens(tokens + 1);
    setAllowed(false);
    setDone(undefined);
  };
  return (
    <ChangesProvider value={changes}>
      <button
        type="button"
        class="skip"
        onClick={() => {
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </button>
      <header>
        <a class="brand" href={to("")}>
          memoryd
        </a>
        <nav aria-label="Screens">
          {SCREENS.map(([path, title]) => (
            <a key={path} href={to(path)} aria-current={path === screen ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        {verbs.length > 0 && !isRefused && <ChangesSwitch areAllowed={areAllowed} onSwitch={setAllowed} />}
        <State health={health} />
        {token() && (
          <button
            type="button"
            class="link"
            onClick={() => {
              changeToken("");
            }}
          >
            Sign out
          </button>
        )}
      </header>
      <main id="main" tabIndex={0} key={tokens}>
        {isRefused ? (
          <TokenForm onToken={changeToken} />
        ) : screen === "agents" && name ? (
          <Agent key={name} agentId={name} part={part} rest={rest} />
        ) : screen === "agents" ? (
          <Agents />
        ) : screen === "live" ? (
          <Live />
        ) : (
          <Overview health={health} />
        )}
      </main>
      <Announcement done={done} onDone={setDone} />
    </ChangesProvider>
  );
}

function State({ health }: { health: Health }) {
  const isAway = health.error !== undefined;
  const word = isAway ? "away" : wordOf(health.info?.state) || "…";
  return (
    <span class={`state ${word.replace(" ", "-")}`} role="status">
      {word}
    </span>
  );
}

function useHealth(tokens: number): Health {
  const [samples, setSamples] = useState<Samples>({ milliseconds: [], calls: [], watches: [], bytes: [] });
  const read = async (signal: AbortSignal) => {
    const began = performance.now();
    const info = await call<GetServerInfoResponseJson>("ServerService/GetServerInfo", {}, signal);
    const took = performance.now() - began;
    const used = (name: string) => Number(info.usage?.[name] ?? 0);
    setSamples(({ milliseconds, calls, watches, bytes }) => ({
      milliseconds: latest(milliseconds, took),
      calls: latest(calls, used("concurrent_calls")),
      watches: latest(watches, used("concurrent_watches")),
      bytes: latest(bytes, used("request_bytes") + used("response_bytes")),
    }));
    return info;
  };
  const { value, error } = usePolled(read, INTERVAL_MS, String(tokens));
  return { info: value, error, ...samples };
}

function latest(values: readonly number[], value: number): readonly number[] {
  return [...values, value].slice(-SAMPLES_MAX);
}
