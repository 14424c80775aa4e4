/** A scope of an agent, by their ids. An empty scope id is the agent's root scope. */
export interface Place {
  readonly agentId: string;
  readonly scopeId: string;
}
