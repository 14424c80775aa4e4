import { useEffect, useRef, useState } from "preact/hooks";

import type { Polled } from "./polled";

interface Run {
  ending: AbortController;
  isReading: boolean;
  /** Whether something changed since the read in progress began. */
  isOutdated: boolean;
}

/**
 * Return what a function reads, again when `version` changes: until then, what it read before stays.
 *
 * @param key Names what is read. It begins again, with nothing, when that changes.
 * @param version Changes with what is to be read. Nothing is read while it is undefined.
 */
export function useFetched<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  key: string,
  version: string | number | undefined,
): Polled<Value> {
  const [fetched, setFetched] = useState<Polled<Value>>({ value: undefined, error: undefined });
  const newest = useRef(read);
  newest.current = read;
  const current = useRef<Run>(null);

  useEffect(() => {
    const run = { ending: new AbortController(), isReading: false, isOutdated: false };
    current.current = run;
    setFetched({ value: undefined, error: undefined });
    return () => {
      run.ending.abort();
    };
  }, [key]);

  useEffect(() => {
    const run = current.current;
    if (version === undefined || !run) return;
    run.isOutdated = true;
    // A read is finished before the next: changes may come faster than responses.
    if (!run.isReading) void go(run);
  }, [key, version]);

  const go = async (run: Run) => {
    run.isReading = true;
    while (run.isOutdated) {
      run.isOutdated = false;
      try {
        const value = await newest.current(run.ending.signal);
        if (run.ending.signal.aborted) return;
        setFetched({ value, error: undefined });
      } catch (error) {
        if (run.ending.signal.aborted) return;
        setFetched(({ value }) => ({ value, error }));
      }
    }
    run.isReading = false;
  };
  return fetched;
}
