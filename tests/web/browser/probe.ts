/** Gives the client to the scripts of tests, and checks its types as a page's own code has them. */
import { connect, type Agent, type Client, type Token } from "memoryd/browser";
import * as memoryd from "memoryd/browser";
import * as v1 from "memoryd/v1";

export const token: Token = () => Promise.resolve("secret");

export async function use(agent: Agent, signal: AbortSignal): Promise<number> {
  const visits = await agent.get<number>("visits", { signal });
  const { memories } = await agent.memories.recall("tea", { limit: 1 });
  for await (const { subject } of await agent.watch({ signal })) {
    if (subject.case === "entry") {
      return memories.length + (visits ?? 0);
    }
  }
  return v1.EntryType.FACT;
}

export const open = (target: string): Client => connect({ target, token });

Object.assign(globalThis, { memoryd, v1 });
