import { AgentService, type EndAgentResponse } from "#protos/memoryd/v1/agent_service_pb";
import { agentPreconditionOf, type AgentCondition, type CallOptions } from "./entry-options.js";
import { Transaction } from "./transaction.js";
import { Scope, WorkingMemory } from "./working-memory.js";

/** The root scope of an agent's working memory, and the parent of its scopes. The first change creates the agent. */
export class Agent extends WorkingMemory {
  /** Returns an existing scope, such as one that another process created. Does not call the daemon. */
  attach(scopeId: string): Scope {
    return new Scope(this.transport, this.agentId, scopeId);
  }

  /** Returns an empty transaction, which collects changes of all kinds and makes them as one. */
  transaction(): Transaction {
    return new Transaction(this.transport, this.agentId);
  }

  /**
   * Removes the agent with all of its records and scopes. With `createSnapshot` the daemon takes a last snapshot first,
   * for which `timeoutMs` must be long enough. An agent that does not exist is not an error, unless the condition says
   * so.
   *
   * @throws AgentNotFound or RevisionMismatch if the condition is not met.
   */
  async end(
    options: { readonly createSnapshot?: boolean } & AgentCondition & CallOptions = {},
  ): Promise<EndAgentResponse> {
    const { createSnapshot = false } = options;
    const request = { agentId: this.agentId, createSnapshot, ...agentPreconditionOf(options) };
    return this.transport.stub(AgentService).endAgent(request, options);
  }
}
