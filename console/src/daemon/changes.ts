import { useEffect, useRef, useState } from "preact/hooks";

import type { EventFilterJson, EventJson } from "#protos/event_pb";

import { watch } from "./watch";

/** Time from a change until what it concerns is read, which collects those that come together. */
const WAIT_MS = 250;
/** Time from one read to the next: where changes come without a pause, reads must not slow down those who make them. */
const REST_MS = 1_000;

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
    let last = -Infinity;
    let isLive = false;
    const rise = () => {
      last = performance.now();
      setVersion((before = 0) => before + 1);
    };
    const later = () => {
      const wait = Math.max(WAIT_MS, last + REST_MS - performance.now());
      timer ||= window.setTimeout(() => {
        timer = 0;
        rise();
      }, wait);
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
