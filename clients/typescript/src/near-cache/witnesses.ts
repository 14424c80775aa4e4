/** Resolves once a revision was seen, or after a while, or once the signal is aborted. Undefined is one that is not known. */
export type Witness = (revision: bigint | undefined, signal: AbortSignal | undefined) => Promise<void>;

interface Change {
  readonly agentId?: string;
  readonly asAgentId?: string;
  readonly dryRun?: boolean;
}

const RESTORE = "memoryd.v1.RestoreSnapshotRequest";

/** Returns the id of the agent that a request changes, empty if it changes none. Undefined if it may change all. */
export function changedAgent(typeName: string, request: object): string | undefined {
  const { agentId = "", asAgentId = "", dryRun = false } = request as Change;
  if (dryRun) {
    return "";
  }
  const id = asAgentId || agentId;
  return id === "" && typeName === RESTORE ? undefined : id;
}

/** The near caches of each agent, which have to see its writes before these return. */
export class Witnesses {
  readonly #byAgent = new Map<string, Set<Witness>>();

  /** Has the writes of an agent wait until a near cache has seen their revisions. */
  add(agentId: string, witness: Witness): void {
    const witnesses = this.#byAgent.get(agentId) ?? new Set();
    this.#byAgent.set(agentId, witnesses.add(witness));
  }

  /** Removes what was added. */
  remove(agentId: string, witness: Witness): void {
    const witnesses = this.#byAgent.get(agentId);
    witnesses?.delete(witness);
    if (witnesses?.size === 0) {
      this.#byAgent.delete(agentId);
    }
  }

  /**
   * Shows the revision of a response to a change to the near caches of its agent, or of all agents. Resolves once they
   * have seen it. `typeName` is that of the request.
   */
  async show(typeName: string, request: object, response: object, signal: AbortSignal | undefined): Promise<void> {
    const agentId = changedAgent(typeName, request);
    const { revision = 0n } = response as { readonly revision?: bigint };
    if (agentId === undefined) {
      const all = [...this.#byAgent.values()].flatMap((witnesses) => [...witnesses]);
      await Promise.all(all.map((witness) => witness(undefined, signal)));
    } else if (revision > 0n) {
      const witnesses = this.#byAgent.get(agentId) ?? [];
      await Promise.all([...witnesses].map((witness) => witness(revision, signal)));
    }
  }
}
