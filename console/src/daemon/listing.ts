import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Page<Item> {
  items: readonly Item[];
  next: string;
  /** Number of items on all pages, if the daemon counts them. */
  total?: number | undefined;
}

export interface Listing<Item> {
  items: readonly Item[];
  /** Number of items on all pages; that of the items so far if it is unknown. */
  total: number;
  isComplete: boolean;
  error: unknown;
  /** Read pages until there are so many items. */
  need: (count: number) => void;
  /** Put the newest form of an item in its place; undefined takes the item out. */
  replace: (item: Item, newest: Item | undefined) => void;
}

interface State<Item> {
  items: readonly Item[];
  next: string | undefined;
  total: number | undefined;
  error: unknown;
}

const EMPTY = { items: [], next: "", total: undefined, error: undefined };

/** Return a listing that reads its pages once they are needed. It begins again when `key` changes. */
export function useListing<Item>(
  read: (pageToken: string, signal: AbortSignal) => Promise<Page<Item>>,
  key: string,
): Listing<Item> {
  const [state, setState] = useState<State<Item>>(EMPTY);
  const wanted = useRef(0);
  const current = useRef<{ ending: AbortController; isReading: boolean; state: State<Item> }>(null);

  const go = useCallback(
    async (run: NonNullable<typeof current.current>) => {
      if (run.isReading) return;
      run.isReading = true;
      while (run.state.next !== undefined && run.state.items.length < wanted.current) {
        try {
          const page = await read(run.state.next, run.ending.signal);
          const items = run.state.items.concat(page.items);
          run.state = { items, next: page.next || undefined, total: page.total, error: undefined };
        } catch (error) {
          run.state = { ...run.state, next: undefined, error };
        }
        if (run.ending.signal.aborted) return;
        setState(run.state);
      }
      run.isReading = false;
    },
    [key],
  );

  // Before the effects of the list itself, which say how many items are needed.
  useLayoutEffect(() => {
    const run = { ending: new AbortController(), isReading: false, state: EMPTY as State<Item> };
    current.current = run;
    setState(EMPTY);
    wanted.current = 1;
    void go(run);
    return () => {
      run.ending.abort();
    };
  }, [key]);

  const need = useCallback(
    (count: number) => {
      wanted.current = Math.max(wanted.current, count);
      if (current.current) void go(current.current);
    },
    [go],
  );
  const replace = useCallback((item: Item, newest: Item | undefined) => {
    const run = current.current;
    const index = run?.state.items.indexOf(item) ?? -1;
    if (!run || index < 0) return;
    const items = run.state.items.toSpliced(index, 1, ...(newest === undefined ? [] : [newest]));
    const total = run.state.total && run.state.total - (newest === undefined ? 1 : 0);
    run.state = { ...run.state, items, total };
    setState(run.state);
  }, []);
  const total = state.next === undefined ? state.items.length : Math.max(state.total ?? 0, state.items.length);
  return { items: state.items, total, isComplete: state.next === undefined, error: state.error, need, replace };
}
