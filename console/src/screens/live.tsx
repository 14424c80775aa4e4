import { useEffect, useRef, useState } from "preact/hooks";

import type { EventFilterJson, EventJson } from "#protos/event_pb";
import type { RecordKindJson } from "#protos/record_pb";

import { watch, type WatchState } from "../daemon/watch";
import { ChooseKind } from "../view/choose-kind";
import { EventList } from "../view/event-list";
import { Notice } from "../view/notice";
import { count } from "../view/word";

/** Number of events that stay in the page. */
const EVENTS_MAX = 10_000;
/** Interval at which events are shown that have arrived: of hundreds of messages a second, each would be a list of its own. */
const SHOW_MS = 100;
/** What changes, as it changes. */
export function Live() {
  const [agents, setAgents] = useState("");
  const [kind, setKind] = useState<RecordKindJson | "">("");
  const [isPaused, setPaused] = useState(false);
  const { events, state, total, clear } = useEvents(agents, kind, isPaused);
  return (
    <div class="screen">
      <div class="head">
        <h1>Live</h1>
        <span class={`state ${state.kind}`} role="status">
          {"why" in state ? `${state.kind}: ${state.why}` : state.kind}
        </span>
        <span class="dim">{total === 1 ? "1 event" : `${count(total)} events`}</span>
      </div>
      <div class="filters">
        <label>
          <span>Agents</span>
          <input
            type="search"
            placeholder="all, an id, or support-*"
            defaultValue={agents}
            onChange={(event) => {
              setAgents(event.currentTarget.value.trim());
            }}
          />
        </label>
        <label>
          <span>Kind</span>
          <ChooseKind kind={kind} onChoose={setKind} />
        </label>
        <button
          type="button"
          aria-pressed={isPaused}
          onClick={() => {
            setPaused(!isPaused);
          }}
        >
          {isPaused ? "Resume" : "Pause"}
        </button>
        <button type="button" onClick={clear}>
          Clear
        </button>
      </div>
      <EventList
        label="Events"
        title="change"
        count={events.length}
        at={(index) => events.at(-1 - index)}
        showsAgent
        notice={events.length === 0 && <Notice>Nothing has changed since this screen was opened.</Notice>}
      />
    </div>
  );
}

interface Events {
  /** The newest events, the latest last. */
  events: readonly EventJson[];
  state: WatchState;
  /** Number of all events since the filters changed. */
  total: number;
  clear: () => void;
}

function useEvents(agents: string, kind: RecordKindJson | "", isPaused: boolean): Events {
  const [seen, setSeen] = useState<{ events: readonly EventJson[]; total: number }>({ events: [], total: 0 });
  const filter: EventFilterJson = { agentIds: [agents || "*"], ...(kind && { kinds: [kind] }) };
  const filters = JSON.stringify(filter);
  const wanted = `${filters} ${isPaused ? "paused" : ""}`;
  /** The state of the stream, and what was wanted of it: that of other filters says nothing of these. */
  const [known, setKnown] = useState<{ wanted: string; state: WatchState }>({ wanted, state: { kind: "connecting" } });
  /** Where the stream was when it was paused, and of which filters. */
  const place = useRef({ filters: "", last: "" });

  useEffect(() => {
    if (place.current.filters !== filters) {
      place.current = { filters, last: "" };
      setSeen({ events: [], total: 0 });
    }
    if (isPaused) {
      setKnown({ wanted, state: { kind: "paused" } });
      return undefined;
    }
    const ending = new AbortController();
    const onState = (newest: WatchState) => {
      if (!ending.signal.aborted) setKnown({ wanted, state: newest });
    };
    let arrived: EventJson[] = [];
    let timer = 0;
    const show = () => {
      const more = arrived;
      [arrived, timer] = [[], 0];
      setSeen(({ events, total }) => ({ events: [...events, ...more].slice(-EVENTS_MAX), total: total + more.length }));
    };
    const onEvents = (more: readonly EventJson[]) => {
      if (ending.signal.aborted) return;
      for (const event of more) arrived.push(event);
      timer ||= window.setTimeout(show, SHOW_MS);
    };
    const onPlace = (last: string) => {
      if (!ending.signal.aborted) place.current.last = last;
    };
    void watch([filter], place.current.last, ending.signal, { onState, onEvents, onPlace });
    return () => {
      ending.abort();
      clearTimeout(timer);
      // The stream goes on after them.
      show();
    };
  }, [wanted]);

  const clear = () => {
    setSeen({ events: [], total: 0 });
  };
  return { ...seen, state: known.wanted === wanted ? known.state : { kind: "connecting" }, clear };
}
