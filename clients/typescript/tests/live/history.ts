import { timestampMs } from "@bufbuild/protobuf/wkt";
import { AgentNotFound, type Agent, type Client, type WorkingMemory } from "memoryd";
import { SnapshotService } from "memoryd/v1";

const ROOT = "";
export const KEYS = ["k0", "k1", "k2", "k3", "k4", "k5"];
const SCOPES_MAX = 3;
const TTL_MS = 20;
/** Read in a scope that there is not. */
export const GONE = "gone";

export type Seen = number | undefined | typeof GONE;

/** An entry: its number, and when it expires. That is not known before the write was acknowledged. */
interface Stored {
  readonly number: number;
  readonly expiresAt: number | undefined;
}

/** Random numbers from a seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed + 1;
  }

  /** Returns a number from 0 to 1. */
  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  choice<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)] as T;
  }

  sample<T>(from: readonly T[], count: number): T[] {
    const left = [...from];
    return Array.from({ length: count }, () => left.splice(Math.floor(this.next() * left.length), 1)[0] as T);
  }
}

/** The agent between two changes. `ackedAt` is when the change to it was acknowledged; infinity if not yet. */
export class State {
  ackedAt = Infinity;
  values = new Map<string, Map<string, Stored>>([[ROOT, new Map()]]);
  parents = new Map<string, string>();

  /** Returns a copy that is not acknowledged. */
  copy(): State {
    const copy = new State();
    copy.values = new Map([...this.values].map(([scopeId, entries]) => [scopeId, new Map(entries)]));
    copy.parents = new Map(this.parents);
    return copy;
  }

  entries(scopeId: string): Map<string, Stored> {
    const entries = this.values.get(scopeId);
    if (!entries) {
      throw new Error(`the state has no scope ${scopeId}`);
    }
    return entries;
  }

  /** Returns true if a look-up between two times of the wall clock may return a value. */
  mayRead(scopeId: string, key: string, value: Seen, begin: number, end: number): boolean {
    const entries = this.values.get(scopeId);
    if (!entries) {
      return value === GONE;
    }
    const stored = entries.get(key);
    if (stored && (stored.expiresAt === undefined || begin < stored.expiresAt)) {
      if (value === stored.number) {
        return true;
      }
      if (stored.expiresAt !== undefined && end < stored.expiresAt) {
        return false;
      }
    }
    const parent = this.parents.get(scopeId);
    return parent === undefined ? value === undefined : this.mayRead(parent, key, value, begin, end);
  }
}

/** Changes an agent at random, and notes each state before and after it is acknowledged. */
export class Writer {
  readonly states = [new State()];
  count = 0;
  /** Called as soon as a change is acknowledged, when a reader must see it. */
  acknowledged = (): Promise<void> => Promise.resolve();
  readonly #agent: Agent;
  readonly #client: Client;
  readonly #chance: Chance;
  #numbers = 0;
  #saved: { readonly state: State; readonly snapshotId: string } | undefined;

  constructor(client: Client, agentId: string, seed: number) {
    this.#client = client;
    this.#agent = client.agent(agentId);
    this.#chance = new Chance(seed);
    this.state.ackedAt = -Infinity;
  }

  /** The last state. */
  get state(): State {
    const [last = new State()] = this.states.slice(-1);
    return last;
  }

  /** Returns the index of the newest state that was acknowledged at a time of `performance.now()` or before. */
  floor(before: number): number {
    return this.states.findLastIndex(({ ackedAt }) => ackedAt <= before);
  }

  /** Returns true if one state from `floor` on explains all of what was read. */
  explains(floor: number, scopeId: string, seen: readonly (readonly [string, Seen])[], begin: number, end: number) {
    const all = (state: State) => seen.every(([key, value]) => state.mayRead(scopeId, key, value, begin, end));
    return this.states.slice(floor).some(all);
  }

  /** Makes a number of changes. */
  async run(count: number): Promise<void> {
    const often = [this.#set, this.#set, this.#set, this.#setForAWhile, this.#remove, this.#batch, this.#openScope];
    const rare = [this.#merge, this.#dispose, this.#clear, this.#save, this.#restore, this.#end];
    while (this.count < count) {
      await this.#chance.choice(this.#chance.next() < 0.75 ? often : rare)();
      this.count += 1;
    }
  }

  /** Changes the agent from the last state to another one. */
  async #change<T>(state: State, change: () => Promise<T>): Promise<T> {
    this.states.push(state);
    const result = await change();
    state.ackedAt = performance.now();
    await this.acknowledged();
    return result;
  }

  #place(): string {
    return this.#chance.choice([...this.state.values.keys()].sort());
  }

  #memory(scopeId: string): WorkingMemory {
    return scopeId === ROOT ? this.#agent : this.#agent.attach(scopeId);
  }

  #number(): Stored {
    this.#numbers += 1;
    return { number: this.#numbers, expiresAt: Infinity };
  }

  readonly #set = async (): Promise<void> => {
    const [scopeId, key, stored, state] = [this.#place(), this.#chance.choice(KEYS), this.#number(), this.state.copy()];
    state.entries(scopeId).set(key, stored);
    await this.#change(state, () => this.#memory(scopeId).set(key, stored.number));
  };

  /** In the root only: whether a merge still finds such an entry is known to the daemon alone. */
  readonly #setForAWhile = async (): Promise<void> => {
    const [key, { number }, state] = [this.#chance.choice(KEYS), this.#number(), this.state.copy()];
    const entries = state.entries(ROOT);
    entries.set(key, { number, expiresAt: undefined });
    await this.#change(state, async () => {
      const { entry } = await this.#agent.set(key, number, { ttlMs: TTL_MS });
      entries.set(key, { number, expiresAt: entry?.expireTime && timestampMs(entry.expireTime) });
    });
  };

  readonly #remove = async (): Promise<void> => {
    const [scopeId, key, state] = [this.#place(), this.#chance.choice(KEYS), this.state.copy()];
    state.entries(scopeId).delete(key);
    await this.#change(state, () => this.#memory(scopeId).remove(key));
  };

  readonly #batch = async (): Promise<void> => {
    const [scopeId, state] = [this.#place(), this.state.copy()];
    const batch = this.#memory(scopeId).batch();
    for (const key of this.#chance.sample(KEYS, 3)) {
      const stored = this.#number();
      state.entries(scopeId).set(key, stored);
      batch.set(key, stored.number);
    }
    await this.#change(state, () => batch.commit());
  };

  readonly #openScope = async (): Promise<void> => {
    if (this.state.values.size > SCOPES_MAX) {
      return;
    }
    const [parent, state] = [this.#place(), this.state.copy()];
    // Nobody reads in a scope whose id is not known yet.
    const { scopeId } = await this.#memory(parent).scope("s");
    state.values.set(scopeId, new Map());
    state.parents.set(scopeId, parent);
    await this.#change(state, () => Promise.resolve());
  };

  /** Returns a scope without scopes below it, or undefined if there is no scope. */
  #leaf(): string | undefined {
    const parents = new Set(this.state.parents.values());
    const leaves = [...this.state.parents.keys()].filter((scopeId) => !parents.has(scopeId)).sort();
    return leaves.length === 0 ? undefined : this.#chance.choice(leaves);
  }

  readonly #merge = async (): Promise<void> => {
    const [scopeId, state] = [this.#leaf(), this.state.copy()];
    if (scopeId === undefined) {
      return;
    }
    const parent = state.entries(state.parents.get(scopeId) ?? ROOT);
    for (const [key, stored] of state.entries(scopeId)) {
      parent.set(key, stored);
    }
    state.values.delete(scopeId);
    state.parents.delete(scopeId);
    await this.#change(state, () => this.#agent.attach(scopeId).merge());
  };

  readonly #dispose = async (): Promise<void> => {
    const [scopeId, state] = [this.#leaf(), this.state.copy()];
    if (scopeId === undefined) {
      return;
    }
    state.values.delete(scopeId);
    state.parents.delete(scopeId);
    await this.#change(state, () => this.#agent.attach(scopeId).dispose());
  };

  readonly #clear = async (): Promise<void> => {
    const [scopeId, state] = [this.#place(), this.state.copy()];
    state.entries(scopeId).clear();
    await this.#change(state, () => this.#memory(scopeId).clear());
  };

  readonly #save = async (): Promise<void> => {
    const { agentId } = this.#agent;
    const snapshotId = `s${this.#number().number}-${agentId}`;
    try {
      await this.#client.stub(SnapshotService).createSnapshot({ agentId, snapshotId });
    } catch (error) {
      if (error instanceof AgentNotFound) {
        return;
      }
      throw error;
    }
    this.#saved = { state: this.state.copy(), snapshotId };
  };

  readonly #restore = async (): Promise<void> => {
    if (!this.#saved) {
      return;
    }
    const { state, snapshotId } = this.#saved;
    const request = { agentId: this.#agent.agentId, snapshotId };
    await this.#change(state.copy(), () => this.#client.stub(SnapshotService).restoreSnapshot(request));
  };

  readonly #end = async (): Promise<void> => {
    if (this.#chance.next() < 0.5) {
      return;
    }
    await this.#change(new State(), () => this.#agent.end());
  };
}
