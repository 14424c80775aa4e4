import { useRef, useState } from "preact/hooks";

import type { EventJson } from "#protos/event_pb";
import type { ListEventsResponseJson } from "#protos/event_service_pb";
import type { RecordKindJson } from "#protos/record_pb";

import { call } from "../../../daemon/call";
import { useListing } from "../../../daemon/listing";
import { to } from "../../../route";
import { ChooseKind } from "../../../view/choose-kind";
import { EventList } from "../../../view/event-list";
import { Notice, Problem } from "../../../view/notice";
import { Age } from "../../../view/time";
import { count } from "../../../view/word";
import { Rewound } from "./rewound";

const PAGE_SIZE = 1_000;

/** An agent as it was at a revision: of each record the newest event up to then, as far back as the journal reaches. */
export function Then({ agentId, revision }: { agentId: string; revision: string }) {
  const [kind, setKind] = useState<RecordKindJson | "">("");
  const [oldest, setOldest] = useState<EventJson>();
  const rewound = useRef(new Rewound());
  const listing = useListing<EventJson>(async (pageToken, signal) => {
    if (!pageToken) rewound.current = new Rewound();
    const request = {
      filters: [{ agentIds: [agentId] }],
      order: "LIST_ORDER_CREATE_TIME_DESCENDING",
      endRevision: revision,
      pageSize: PAGE_SIZE,
      pageToken,
    };
    const { events, nextPageToken } = await call<ListEventsResponseJson>("EventService/ListEvents", request, signal);
    // A read that was given up must not count in the next one.
    signal.throwIfAborted();
    const items = (events ?? []).filter((event) => rewound.current.isState(event) && (!kind || event.kind === kind));
    const last = events?.at(-1);
    if (last) setOldest(last);
    return { items, next: rewound.current.isOver ? "" : (nextPageToken ?? "") };
  }, `${agentId}/${revision}/${kind}`);
  return (
    <>
      <div class="filters">
        <a href={to("agents", agentId, "timeline")}>All changes</a>
        <h2>As of revision {count(revision)}</h2>
        <label>
          <span>Kind</span>
          <ChooseKind kind={kind} onChoose={setKind} />
        </label>
        <span class="dim" role="status">
          {count(listing.items.length)}
          {!listing.isComplete && " or more"} {listing.items.length === 1 ? "record" : "records"}
        </span>
      </div>
      {listing.error !== undefined && <Problem error={listing.error} />}
      {listing.isComplete && oldest && !rewound.current.isOver && Number(oldest.revision) > 1 && (
        <p class="dim">
          The journal reaches back to revision {count(oldest.revision)} (<Age time={oldest.eventTime} />
          ). Records that have not changed since are not here: they were as they are now.
        </p>
      )}
      <EventList
        key={kind}
        label="Records of then"
        title="record"
        count={listing.items.length}
        at={(index) => listing.items[index]}
        need={listing.need}
        notice={
          listing.isComplete &&
          listing.items.length === 0 &&
          listing.error === undefined && <Notice>The journal has no record of then.</Notice>
        }
      />
    </>
  );
}
