import type { Agent } from "memoryd";

const WARM_UP_CALLS = 100;
const KEY = "measured";
// With its two quotes it is JSON text of 200 bytes.
const VALUE = "x".repeat(198);

/** Measures how long so many sets take, one after the other, and so many gets. */
export async function measure(memory: Agent, calls: number): Promise<object> {
  const set = (): Promise<unknown> => memory.set(KEY, VALUE);
  await seconds(WARM_UP_CALLS, set);
  const set_s = await seconds(calls, set);
  const get_s = await seconds(calls, () => memory.get(KEY));
  return { set_s, get_s };
}

async function seconds(calls: number, call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  for (let done = 0; done < calls; done++) {
    await call();
  }
  return (performance.now() - begin) / 1000;
}
