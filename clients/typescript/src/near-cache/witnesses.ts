/**
 * Resolves once the revision of a response was seen, or after a while, or once the signal is aborted. Undefined is a
 * revision that is not known.
 */
export type Seen = (revision: bigint | undefined, signal: AbortSignal | undefined) => Promise<void>;

/**
 * Takes note that a change begins, and returns the function that waits until its revision was seen. `isLate` is true for
 * one that began before there was this near cache, and that ends now.
 */
export type Witness = (isLate: boolean) => Seen;

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
   * Announces a change to the near caches of its agent, or of all agents, before it is sent. `typeName` is that of the
   * request. Returns the function that shows its response to them, also to those that were opened meanwhile, and resolves
   * once they have seen its revision.
   */
  expect(typeName: string, request: object): (response: object, signal: AbortSignal | undefined) => Promise<void> {
    const agentId = changedAgent(typeName, request);
    const expected = new Map(this.#of(agentId).map((witness) => [witness, witness(false)]));
    return async (response, signal) => {
      const { revision = 0n } = response as { readonly revision?: bigint };
      if (agentId === undefined || revision > 0n) {
        const seen = this.#of(agentId).map((witness) => expected.get(witness) ?? witness(true));
        await Promise.all(seen.map((see) => see(agentId === undefined ? undefined : revision, signal)));
      }
    };
  }

  /** Returns the near caches of an agent, or of all agents. */
  #of(agentId: string | undefined): Witness[] {
    if (agentId !== undefined) {
      return [...(this.#byAgent.get(agentId) ?? [])];
    }
    return [...this.#byAgent.values()].flatMap((witnesses) => [...witnesses]);
  }
}
