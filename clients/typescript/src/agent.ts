import { AgentService, type EndAgentResponse } from "#protos/memoryd/v1/agent_service_pb";
import { preconditionOf, type CallOptions, type Condition } from "./entry-options.js";
import { Scope, WorkingMemory } from "./working-memory.js";

/** One agent: the root of its working memory, and the parent of its scopes. It begins with its first change. */
export class Agent extends WorkingMemory {
  /** Answers a scope that is there already, such as another process's, without asking the daemon. */
  attach(scopeId: string): Scope {
    return new Scope(this.transport, this.agentId, scopeId);
  }

  /**
   * Removes the agent with all of its records and scopes; with `createSnapshot` after a last snapshot, for which
   * `timeoutMs` must leave the time.
   *
   * @throws AgentNotFound, and RevisionMismatch by its condition, which speaks of the agent's revision.
   */
  async end(
    options: { readonly createSnapshot?: boolean } & Pick<Condition, "expectedRevision"> & CallOptions = {},
  ): Promise<EndAgentResponse> {
    const { createSnapshot = false } = options;
    const request = { agentId: this.agentId, createSnapshot, ...preconditionOf(options) };
    return this.transport.stub(AgentService).endAgent(request, options);
  }
}
