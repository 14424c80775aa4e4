import { useEffect, useState } from "preact/hooks";

export interface Polled<Value> {
  /** The newest response; undefined before the first. */
  value: Value | undefined;
  /** Why the last call failed; undefined after one that did not. */
  error: unknown;
}

/** Return what a function reads, again every `interval` milliseconds while the tab is visible. */
export function usePolled<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  interval: number,
  key: string,
): Polled<Value> {
  const [polled, setPolled] = useState<Polled<Value>>({ value: undefined, error: undefined });
  useEffect(() => {
    const ending = new AbortController();
    let timer = 0;
    const again = () => (timer = window.setTimeout(() => void look(), interval));
    const look = async () => {
      if (document.hidden) return again();
      try {
        const value = await read(ending.signal);
        setPolled({ value, error: undefined });
      } catch (error) {
        if (!ending.signal.aborted) setPolled(({ value }) => ({ value, error }));
      }
      return ending.signal.aborted ? undefined : again();
    };
    setPolled({ value: undefined, error: undefined });
    void look();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [key, interval]);
  return polled;
}
