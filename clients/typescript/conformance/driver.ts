import { setTimeout as sleep } from "node:timers/promises";
import { connect, decode, Json, RevisionMismatch, type Agent, type Client } from "memoryd";
import type { Command, ConnectCommand, GetOrSetCommand, WatchCommand } from "./command.js";
import { measure } from "./measure.js";
import { WatchLog } from "./watch-log.js";

/** Runs commands with a client, as a user's program would. */
export class Driver implements Disposable {
  #client: Client | undefined;
  #target = "";
  readonly #watches = new Map<string, WatchLog>();

  /** Runs a command, and returns its result. */
  async do(command: Command): Promise<object> {
    switch (command.do) {
      case "connect":
        return this.#connect(command);
      case "set":
        return this.#set(command.agent, command.key, new Json(command.value_json));
      case "set_native":
        return this.#set(command.agent, command.key, Json.parse(command.value_json));
      case "get": {
        const entry = await this.#agent(command.agent).getEntry(command.key);
        return { found: entry !== undefined, value_json: entry?.valueJson ?? "" };
      }
      case "get_native": {
        const value = await this.#agent(command.agent).get(command.key);
        return { found: value !== undefined, value_json: value === undefined ? "" : Json.stringify(value) };
      }
      case "update":
        return this.#update(this.#agent(command.agent), command.key, command.count, command.transaction);
      case "get_or_set":
        return this.#getOrSet(command);
      case "watch":
        return this.#watch(command);
      case "watched":
        return this.#watched(command.name).waitFor(command.count, ms(command.timeout_s));
      case "unwatch":
        this.#watched(command.name).close();
        this.#watches.delete(command.name);
        return {};
      case "measure":
        return measure(this.#target, command);
      default:
        throw new Error(`unknown command: ${JSON.stringify(command)}`);
    }
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #connect(command: ConnectCommand): object {
    this.#close();
    const { target, token, origin, timeout_s, connect_timeout_s, ca_file } = command;
    this.#target = target;
    this.#client = connect({
      target,
      token,
      origin,
      timeoutMs: timeout_s && ms(timeout_s),
      connectTimeoutMs: connect_timeout_s && ms(connect_timeout_s),
      tls: ca_file ? { caFile: ca_file } : undefined,
    });
    return {};
  }

  async #set(agent: string, key: string, value: unknown): Promise<object> {
    return { revision: Number((await this.#agent(agent).set(key, value)).revision) };
  }

  async #update(agent: Agent, key: string, count: number, transaction = false): Promise<object> {
    let last = 0;
    for (let done = 0; done < count; done++) {
      last = transaction ? await increment(agent, key) : await agent.update<number>(key, (value) => (value ?? 0) + 1);
    }
    return { last };
  }

  async #getOrSet(command: GetOrSetCommand): Promise<object> {
    const { value_json, factory_s = 0, fail = false, lease_s, wait_s } = command;
    let made = false;
    const factory = async (): Promise<unknown> => {
      made = true;
      await sleep(ms(factory_s));
      if (fail) {
        throw new Error("the factory failed");
      }
      return Json.parse(value_json);
    };
    const value = await this.#agent(command.agent).getOrSet(command.key, factory, {
      ...(lease_s !== undefined && { leaseMs: ms(lease_s) }),
      ...(wait_s !== undefined && { waitMs: ms(wait_s) }),
    });
    return { value_json: Json.stringify(value), made };
  }

  async #watch(command: WatchCommand): Promise<object> {
    const { key_prefix = "", initial_state = false, outage_max_s, resume_token } = command;
    const watch = await this.#agent(command.agent).watch({
      keyPrefix: key_prefix,
      initialState: initial_state,
      ...(outage_max_s !== undefined && { outageMaxMs: ms(outage_max_s) }),
      ...(resume_token !== undefined && { resumeToken: resume_token }),
    });
    this.#watches.get(command.name)?.close();
    this.#watches.set(command.name, new WatchLog(watch));
    return {};
  }

  #watched(name: string): WatchLog {
    const watch = this.#watches.get(name);
    if (!watch) {
      throw new Error(`there is no watch ${name}`);
    }
    return watch;
  }

  #agent(agentId: string): Agent {
    if (!this.#client) {
      throw new Error("connect first");
    }
    return this.#client.agent(agentId);
  }

  #close(): void {
    for (const watch of this.#watches.values()) {
      watch.close();
    }
    this.#watches.clear();
    this.#client?.close();
  }
}

/** Adds 1 to the integer under the key, by a transaction on what was read. */
async function increment(agent: Agent, key: string): Promise<number> {
  for (;;) {
    const entry = await agent.getEntry(key);
    const next = Number(decode(entry) ?? 0) + 1;
    const tx = agent.transaction();
    tx.set(key, next, { expectedRevision: entry?.revision ?? 0 });
    try {
      await tx.commit();
      return next;
    } catch (error) {
      if (!(error instanceof RevisionMismatch)) {
        throw error;
      }
    }
  }
}

function ms(seconds: number): number {
  return seconds * 1000;
}
