import { AgentService, type EndAgentResponse } from "#protos/memoryd/v1/agent_service_pb";
import type { ComposeContextResponse } from "#protos/memoryd/v1/context_service_pb";
import { agentPreconditionOf, type AgentCondition, type CallOptions } from "./entry-options.js";
import { Contexts, type ComposeContextOptions } from "./kinds/contexts.js";
import { Conversations } from "./kinds/conversations.js";
import { Documents } from "./kinds/documents.js";
import { Entities } from "./kinds/entities.js";
import { Fragments } from "./kinds/fragments.js";
import { Memories } from "./kinds/memories.js";
import { Notes } from "./kinds/notes.js";
import { Plans } from "./kinds/plans.js";
import { NearCache } from "./near-cache/near-cache.js";
import type { NearCacheOptions } from "./near-cache/options.js";
import { Transaction } from "./transaction.js";
import { Scope, WorkingMemory } from "./working-memory.js";

/**
 * All that an agent remembers: its entries, which are those of its root scope, and its records of the other kinds. The
 * first change creates the agent.
 */
export class Agent extends WorkingMemory {
  /** The messages between the agent and others. */
  get conversations(): Conversations {
    return new Conversations(this.transport, this);
  }

  /** Source texts for prompts, whole or in chunks that a search finds. */
  get documents(): Documents {
    return new Documents(this.transport, this);
  }

  /** The entities that the agent's tools touched last, in each conversation. */
  get entities(): Entities {
    return new Entities(this.transport, this);
  }

  /** Incoming texts that are not consolidated yet. */
  get fragments(): Fragments {
    return new Fragments(this.transport, this);
  }

  /** The agent's long-term memories. */
  get memories(): Memories {
    return new Memories(this.transport, this);
  }

  /** Titled, editable texts for prompts. */
  get notes(): Notes {
    return new Notes(this.transport, this);
  }

  /** Goals in conversations, with the ordered steps to them. */
  get plans(): Plans {
    return new Plans(this.transport, this);
  }

  /**
   * Returns the same agent with a bound user; with none if the id is empty. What it writes is about this user, and what it lists, recalls, searches,
   * composes and watches is this user's alone, unless a call names other users. Reads by id and key are the same, and so
   * are the lists of a conversation's messages and of a memory's links.
   *
   * A conversation that `conversations.append` creates is of no user: create one of the user with `conversations.create`.
   */
  user(userId: string): Agent {
    return new Agent(this.transport, this.agentId, "", userId || undefined);
  }

  /**
   * Composes the messages to send to a model from all that the agent remembers, within a budget of tokens: see
   * {@link Contexts.compose}.
   */
  async compose(options: ComposeContextOptions = {}): Promise<ComposeContextResponse> {
    return new Contexts(this.transport, this).compose(options);
  }

  /** Returns an existing scope, such as one that another process created. Does not call the daemon. */
  attach(scopeId: string): Scope {
    return new Scope(this.transport, this.agentId, scopeId, this.userId);
  }

  /**
   * Returns a live copy of the agent's entries, scopes and notes in this process, once it is complete: see
   * {@link NearCache}. Reads of it cost no call, and have every write of this client.
   *
   * @throws CacheFull if the records take more memory than `maxBytes`, RangeError for an option that is not allowed.
   */
  async nearCache(options: NearCacheOptions = {}): Promise<NearCache> {
    return NearCache.open(this.transport, this, options);
  }

  /** Returns an empty transaction, which collects changes of all kinds and makes them as one. */
  transaction(): Transaction {
    return new Transaction(this.transport, this.agentId, this.userId);
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
