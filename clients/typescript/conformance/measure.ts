import type { Agent } from "memoryd";

const WARM_UP_CALLS = 100;
const KEY = "measured";
// 200 bytes of JSON text, with the two quotes.
const VALUE = "x".repeat(198);

/** Measures the time of each of `calls` consecutive sets, and then of as many gets. */
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
