import type { Agent } from "memoryd";

const WARM_UP_CALLS = 100;
const KEY = "measured";
// With its two quotes it is JSON text of 200 bytes.
const VALUE = "x".repeat(198);

/** Measures how long each of so many sets takes, one after the other, and each of so many gets. */
export async function measure(agent: Agent, calls: number): Promise<object> {
  const set_s = await durations(calls, () => agent.set(KEY, VALUE));
  const get_s = await durations(calls, () => agent.get(KEY));
  return { set_s, get_s };
}

async function durations(calls: number, call: () => Promise<unknown>): Promise<number[]> {
  const seconds: number[] = [];
  for (let done = -WARM_UP_CALLS; done < calls; done++) {
    const begin = performance.now();
    await call();
    if (done >= 0) {
      seconds.push((performance.now() - begin) / 1000);
    }
  }
  return seconds;
}
