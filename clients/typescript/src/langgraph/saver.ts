import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import { AgentService } from "#protos/memoryd/v1/agent_service_pb";
import { Connection } from "../adapter/connection.js";
import { part } from "../adapter/name.js";
import type { Client } from "../client.js";
import { addressIn, configOf, configurable, textsOfCheckpoint } from "./checkpoint.js";
import { Entries, setOperation } from "./entries.js";
import { History, nextVersion } from "./history.js";
import { putWrites } from "./pending-writes.js";
import { checkpointKey, namespacePrefix, THREAD, writeKey } from "./thread.js";

type Config = CheckpointTuple["config"];

/** The options of a checkpointer. */
export interface MemorydSaverOptions {
  /** A client, which stays open, or a target as of `connect`. Default: that of `connect`. */
  readonly client?: Client | string;
  /** The prefix of the ids of the threads' agents. Default: `langgraph-thread-js/`. */
  readonly agentPrefix?: string;
  /** Serializes values. Default: LangGraph's. */
  readonly serde?: SerializerProtocol;
}

/**
 * A checkpointer of LangGraph whose threads are agents of the daemon. Close it, or declare it with `using`.
 *
 * A checkpoint and the values that it changes are stored as one change, durably once `put` resolves. The serialized values
 * of one `put` or `putWrites` have at most 11 MiB together, else it rejects with ResourceExhausted. A thread is subject to
 * the daemon's limits of an agent, else it rejects with QuotaExceeded.
 *
 * Every method rejects with a MemorydError if the daemon refuses or cannot be reached.
 */
export class MemorydSaver extends BaseCheckpointSaver implements Disposable {
  readonly #connection: Connection;
  readonly #agentPrefix: string;

  constructor({ client, agentPrefix = "langgraph-thread-js/", serde }: MemorydSaverOptions = {}) {
    super(serde);
    this.#connection = new Connection(client);
    this.#agentPrefix = agentPrefix;
  }

  /** Returns the checkpoint that is named, else the thread's newest in the namespace; undefined without any. */
  override async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    if (configurable(config).thread_id === undefined) {
      return undefined;
    }
    const { threadId, checkpointNs, checkpointId } = addressIn(config);
    const prefix =
      checkpointId === undefined ? namespacePrefix(checkpointNs) : checkpointKey(checkpointNs, checkpointId);
    return this.#history(threadId).newest(prefix);
  }

  /**
   * Yields checkpoints, the newest first within a thread and a namespace; of all threads if `config` names none. `filter`
   * has the items that their metadata must have. Their ids are less than that in `before`.
   */
  override async *list(
    config: Config,
    { limit = Infinity, before, filter = {} }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const named = configurable(config);
    const query = {
      checkpointNs: named.checkpoint_ns,
      checkpointId: named.checkpoint_id || undefined,
      before: before && configurable(before).checkpoint_id,
      metadata: filter,
    };
    let left = limit;
    for await (const threadId of named.thread_id === undefined ? this.#threads() : [String(named.thread_id)]) {
      if (left <= 0) {
        return;
      }
      for await (const found of this.#history(threadId).list(query)) {
        yield found;
        left -= 1;
        if (left <= 0) {
          return;
        }
      }
    }
  }

  /** Stores a checkpoint whose parent `config` names, and returns the configuration that names it. */
  override async put(
    config: Config,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<Config> {
    const address = addressIn(config);
    const texts = await textsOfCheckpoint(this.serde, address, checkpoint, metadata, newVersions);
    // Python's prune sees by the revision of the thread's entry that a checkpoint was stored.
    const all: [string, string][] = [...texts, [THREAD, JSON.stringify(address.threadId)]];
    await this.#entries(address.threadId).write(all.map(([key, text]) => setOperation(key, text)));
    return configOf(address, checkpoint.id);
  }

  /** Stores what a task wrote after the checkpoint that is named. A second time changes nothing. */
  override async putWrites(config: Config, writes: PendingWrite[], taskId: string, taskPath = ""): Promise<void> {
    const { threadId, checkpointNs, checkpointId } = addressIn(config);
    if (checkpointId === undefined) {
      throw new TypeError("the configuration names no checkpoint: configurable.checkpoint_id is missing");
    }
    const key = writeKey(checkpointKey(checkpointNs, checkpointId), taskId);
    await putWrites(this.#entries(threadId), key, this.serde, writes, taskId, taskPath);
  }

  /** Removes all of a thread at once. One that is not there is no error. */
  override async deleteThread(threadId: string): Promise<void> {
    await this.#connection.client.agent(this.#agentPrefix + part(threadId)).end();
  }

  /** Returns a version greater than the current one, and different from those of other branches of the thread. */
  override getNextVersion(current: number | undefined): number {
    return nextVersion(current);
  }

  /** Closes the checkpointer's own client. */
  close(): void {
    this.#connection.close();
  }

  /** Closes the checkpointer's own client. */
  [Symbol.dispose](): void {
    this.close();
  }

  #entries(threadId: string): Entries {
    return new Entries(this.#connection.client, this.#agentPrefix + part(threadId));
  }

  #history(threadId: string): History {
    return new History(this.#entries(threadId), this.serde, threadId);
  }

  /** Yields the ids of all threads. */
  async *#threads(): AsyncGenerator<string> {
    const { client } = this.#connection;
    let pageToken = "";
    do {
      const request = { agentIds: [`${this.#agentPrefix}*`], pageToken };
      const { agents, nextPageToken } = await client.stub(AgentService).listAgents(request);
      for (const { agentId } of agents) {
        const threadId = await client.agent(agentId).get<string>(THREAD, { localOnly: true });
        if (threadId !== undefined) {
          yield threadId;
        }
      }
      pageToken = nextPageToken;
    } while (pageToken !== "");
  }
}
