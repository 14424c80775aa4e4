import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import type { EventJson } from "#protos/event_pb";

import { Detail } from "./detail";
import { EventDetail, EventRow } from "./event";
import { Rows } from "./rows";

const ROW_PX = 56;

interface Props {
  label: string;
  /** The heading of the event that is chosen. */
  title: string;
  count: number;
  at: (index: number) => EventJson | undefined;
  showsAgent?: boolean;
  /** Shown above the list. */
  notice?: ComponentChildren;
  /** Return what is shown above the event that is chosen. */
  above?: (chosen: EventJson) => ComponentChildren;
  /** Note that rows up to this number are about to be seen. */
  need?: (count: number) => void;
}

/** A list of events, and beside it the one that is chosen. */
export function EventList({ label, title, count, at, showsAgent = false, notice, above, need }: Props) {
  const [chosen, setChosen] = useState<EventJson>();
  return (
    <div class="split">
      <div class="list">
        {notice}
        <Rows
          label={label}
          count={count}
          height={ROW_PX}
          {...(need && { need })}
          row={(index) => {
            const event = at(index);
            return (
              event && (
                <EventRow event={event} showsAgent={showsAgent} isChosen={event === chosen} onChoose={setChosen} />
              )
            );
          }}
        />
      </div>
      {chosen && (
        <Detail
          title={title}
          onClose={() => {
            setChosen(undefined);
          }}
        >
          {above?.(chosen)}
          <EventDetail event={chosen} />
        </Detail>
      )}
    </div>
  );
}
