import { useEffect, useRef, useState } from "preact/hooks";

import type { EventFilterJson, EventJson } from "#protos/event_pb";

import { watch } from "./watch";

const WAIT_MS = 250;

/**
 * Return a number that rises after the events that filters select, and once more when the stream goes on after it was
 * interrupted. Undefined until the stream is open: what is read from then on misses nothing. If there is no stream, it
 * does not rise.
 *
 * @param matters Gets the events of each message, and returns whether the number rises for them.
 */
export function useChanges(
  filters: readonly EventFilterJson[],
  matters: (events: readonly EventJson[]) => boolean = () => true,
): number | undefined {
  const [version, setVersion] = useState<number>();
  const newest = useRef(matters);
  newest.current = matters;
  const key = JSON.stringify(filters);
  useEffect(() => {
    const ending = new AbortController();
    let timer = 0;
    let isLive = false;
    const rise = () => {
      setVersion((before = 0) => before + 1);
    };
    const later = () => {
      timer ||= window.setTimeout(() => {
        timer = 0;
        rise();
      }, WAIT_MS);
    };
    setVersion(undefined);
    void watch(filters, "", ending.signal, {
      onState: ({ kind }) => {
        if (ending.signal.aborted) return;
        if (kind === "live" && !isLive) rise();
        // Without a stream, there is what there is now.
        if (kind === "away" || kind === "failed") setVersion((before = 0) => before);
        isLive = kind === "live";
      },
      onEvents: (events) => {
        if (!ending.signal.aborted && newest.current(events)) later();
      },
      onPlace: () => undefined,
    });
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [key]);
  return version;
}
