import type { EventJson } from "#protos/event_pb";
import type { ListEventsResponseJson } from "#protos/event_service_pb";

import { call } from "../../../daemon/call";
import { useFetched } from "../../../daemon/fetched";
import { authorOf } from "../../../view/event";
import { Problem } from "../../../view/notice";
import { Age } from "../../../view/time";
import { count } from "../../../view/word";
import { rangeOf } from "./message-row";

const EVENTS_MAX = 1_000;

interface Compaction {
  event: EventJson;
  numbers: readonly number[];
}

/** Which messages compactions removed, as far back as the journal reaches. */
export function Compactions({
  agentId,
  conversationId,
  version,
}: {
  agentId: string;
  conversationId: string;
  version: number;
}) {
  const { value, error } = useFetched(
    (signal) => readCompactions(agentId, conversationId, signal),
    `${agentId}/${conversationId}`,
    version,
  );
  if (error !== undefined) return <Problem error={error} />;
  if (!value?.length) return null;
  return (
    <ul class="plain compactions" aria-label="Compactions">
      {value.map(({ event, numbers }) => (
        <li key={event.revision}>
          <span>
            {count(numbers.length)} messages were compacted: {rangesOf(numbers)}
          </span>
          <span class="dim">
            <Age time={event.eventTime} />, <bdi>{authorOf(event)}</bdi>
          </span>
        </li>
      ))}
    </ul>
  );
}

async function readCompactions(
  agentId: string,
  conversationId: string,
  signal: AbortSignal,
): Promise<readonly Compaction[]> {
  const filter = {
    agentIds: [agentId],
    kinds: ["RECORD_KIND_MESSAGE"],
    causes: ["EVENT_CAUSE_COMPACTION"],
    record: { conversationIds: [conversationId] },
  };
  const request = { filters: [filter], order: "LIST_ORDER_CREATE_TIME_DESCENDING", pageSize: EVENTS_MAX };
  const { events } = await call<ListEventsResponseJson>("EventService/ListEvents", request, signal);
  const byRevision = Map.groupBy(events ?? [], ({ revision }) => revision);
  return [...byRevision.values()].flatMap((removed) => {
    const numbers = removed.flatMap(({ message }) => (message?.number === undefined ? [] : [Number(message.number)]));
    const [event] = removed;
    return event ? [{ event, numbers: numbers.toSorted((one, other) => one - other) }] : [];
  });
}

const RANGES_MAX = 10;

/** Return ascending numbers in words: `1 to 4, 7`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  const words = ranges.slice(0, RANGES_MAX).map(([first, last]) => rangeOf(first, last));
  return words.join(", ") + (ranges.length > RANGES_MAX ? ", …" : "");
}
