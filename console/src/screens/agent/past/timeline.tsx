import type { EventJson } from "#protos/event_pb";
import type { ListEventsResponseJson } from "#protos/event_service_pb";

import { call } from "../../../daemon/call";
import { useListing } from "../../../daemon/listing";
import { to } from "../../../route";
import { authorOf } from "../../../view/event";
import { EventList } from "../../../view/event-list";
import { Line } from "../../../view/inert";
import { Notice, Problem } from "../../../view/notice";
import { Age } from "../../../view/time";
import { count } from "../../../view/word";
import { filterOf } from "./changes-of";

const PAGE_SIZE = 200;

/**
 * What has changed, by whom and when, the newest first, as far back as the journal reaches.
 *
 * @param record The rest of the address, which names one record; empty for all.
 */
export function Timeline({ agentId, record }: { agentId: string; record: readonly string[] }) {
  const filter = filterOf(agentId, record);
  const listing = useListing<EventJson>(async (pageToken, signal) => {
    const request = {
      filters: [filter],
      order: "LIST_ORDER_CREATE_TIME_DESCENDING",
      includePrevious: true,
      pageSize: PAGE_SIZE,
      pageToken,
    };
    const { events, nextPageToken } = await call<ListEventsResponseJson>("EventService/ListEvents", request, signal);
    return { items: events ?? [], next: nextPageToken ?? "" };
  }, JSON.stringify(filter));
  const isEmpty = listing.isComplete && listing.total === 0 && listing.error === undefined;
  return (
    <>
      {record.length > 0 && <Writer agentId={agentId} record={record} newest={listing.items[0]} />}
      <EventList
        label="Timeline"
        title="change"
        count={listing.items.length}
        at={(index) => listing.items[index]}
        need={listing.need}
        notice={
          <>
            {listing.error !== undefined && <Problem error={listing.error} />}
            {isEmpty && (
              <Notice>
                {record.length > 0
                  ? "The journal no longer has what wrote this record."
                  : "The journal has nothing of this agent."}
              </Notice>
            )}
          </>
        }
        above={({ revision = "0" }) => (
          <p>
            <a href={to("agents", agentId, "then", revision)}>The agent as it was then</a>
          </p>
        )}
      />
    </>
  );
}

interface WriterProps {
  agentId: string;
  record: readonly string[];
  newest: EventJson | undefined;
}

/** Who wrote a record last, in a sentence. */
function Writer({ agentId, record, newest }: WriterProps) {
  const [noun = ""] = record;
  return (
    <div class="filters">
      <a href={to("agents", agentId, "timeline")}>All changes</a>
      <h2>
        <Line text={`${noun} ${record.at(-1) ?? ""}`} />
      </h2>
      {newest && (
        <p role="status">
          Last changed <bdi>{authorOf(newest)}</bdi>, <Age time={newest.eventTime} />, at revision{" "}
          {count(newest.revision)}
        </p>
      )}
    </div>
  );
}
