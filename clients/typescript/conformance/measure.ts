import { connect, type Agent } from "memoryd";
import type { MeasureCommand } from "./command.js";

const WARM_UP_CALLS = 100;
const KEY = "measured";
// 200 bytes of JSON text, with the two quotes.
const VALUE = "x".repeat(198);
const QUERY = "Who signed the lease?";

interface Measured {
  each_s: number[];
  total_s: number;
}

/** Measures the calls of a command to the daemon at `target`. The callers are promises of one event loop. */
export async function measure(target: string, command: MeasureCommand): Promise<Measured> {
  using client = connect({ target, batching: command.batching ?? false });
  const agent = client.agent(command.agent);
  if (command.call === "near_get") {
    return await near(agent, command.calls);
  }
  const call = calls(agent)[command.call];
  const callers = command.callers ?? 1;
  await together(call, WARM_UP_CALLS, callers);
  return await together(call, command.calls, callers);
}

function calls(agent: Agent): Record<Exclude<MeasureCommand["call"], "near_get">, () => Promise<unknown>> {
  return {
    set: () => agent.set(KEY, VALUE),
    get: () => agent.get(KEY),
    recall: () => agent.memories.recall(QUERY),
    compose: () => agent.compose({ conversationId: "measured" }),
  };
}

async function together(call: () => Promise<unknown>, count: number, callers: number): Promise<Measured> {
  const each_s: number[] = [];
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const begin = performance.now();
      await call();
      each_s.push(seconds(begin));
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  return { each_s, total_s: seconds(begin) };
}

async function near(agent: Agent, count: number): Promise<Measured> {
  await using cache = await agent.nearCache();
  read(WARM_UP_CALLS);
  const begin = performance.now();
  read(count);
  return { each_s: [], total_s: seconds(begin) };

  function read(reads: number): void {
    for (let done = 0; done < reads; done++) {
      cache.peek(KEY);
    }
  }
}

function seconds(begin: number): number {
  return (performance.now() - begin) / 1000;
}
