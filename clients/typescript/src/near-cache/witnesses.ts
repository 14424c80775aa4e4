/** Resolves once a revision was seen, or after a while, or once the signal is aborted. */
export type Witness = (revision: bigint, signal: AbortSignal | undefined) => Promise<void>;

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

  /** Shows the revision of a response to a change to the near caches of its agent. Resolves once they have seen it. */
  async show(request: object, response: object, signal: AbortSignal | undefined): Promise<void> {
    const { agentId = "" } = request as { readonly agentId?: string };
    const { revision = 0n } = response as { readonly revision?: bigint };
    const witnesses = this.#byAgent.get(agentId);
    if (witnesses && revision > 0n) {
      await Promise.all([...witnesses].map((witness) => witness(revision, signal)));
    }
  }
}
