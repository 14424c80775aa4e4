/** Where entries are: an agent, and one of its scopes or its root (an empty id). */
export interface Place {
  readonly agentId: string;
  readonly scopeId: string;
}
