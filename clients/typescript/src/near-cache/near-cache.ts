import { clone } from "@bufbuild/protobuf";
import { NoteSchema, type Note } from "#protos/memoryd/v1/note_pb";
import type { Agent } from "../agent.js";
import type { CallOptions } from "../entry-options.js";
import { RecordNotFound } from "../errors.js";
import type { MemorydTransport } from "../transport.js";
import { Copy } from "./copy.js";
import { NearMemory } from "./near-memory.js";
import { NearCacheSettings, type NearCacheOptions } from "./options.js";

/**
 * A live copy of an agent's entries, scopes and notes in this process, by a watch with its initial state.
 *
 * ```ts
 * await using cache = await agent.nearCache({ maxStalenessMs: 2_000 });
 * await agent.set("mood", "good");
 * cache.peek("mood"); // "good"
 * ```
 *
 * A read has every write of this client that has resolved, and all other changes that were committed at least
 * `maxStalenessMs` before it. Where that is not certain, as while the daemon cannot be reached, it does what `whenStale`
 * says. The cache recovers by itself from a restart of the daemon, and from a watch that has lost its place.
 *
 * Expiry is checked at each read, by the clock of this process.
 */
export class NearCache extends NearMemory implements AsyncDisposable {
  readonly #agent: Agent;

  private constructor(copy: Copy, agent: Agent) {
    super(copy, agent);
    this.#agent = agent;
  }

  /** @internal */
  static async open(transport: MemorydTransport, agent: Agent, options: NearCacheOptions): Promise<NearCache> {
    const copy = new Copy(transport, agent.agentId, new NearCacheSettings(options));
    try {
      await copy.open(options.signal);
    } catch (error) {
      await copy.close();
      throw error;
    }
    return new NearCache(copy, agent);
  }

  /** The agent's revision up to which the cache has all changes. */
  get revision(): bigint {
    return this.copy.mirror.revision;
  }

  /** The milliseconds within which the last changes may be missing. Infinity once the cache is closed. */
  get stalenessMs(): number {
    return this.copy.stalenessMs;
  }

  /** The memory that the records take, roughly, in bytes. */
  get sizeBytes(): number {
    return this.copy.mirror.sizeBytes;
  }

  /**
   * What has ended the copy for good, such as a `CacheFull` or a `PermissionDenied`: from then on it is not kept current.
   * Undefined while it is.
   */
  get failure(): unknown {
    return this.copy.failure;
  }

  /** Returns the entries of an existing scope. One that the cache does not hold is read from the daemon. */
  attach(scopeId: string): NearMemory {
    return new NearMemory(this.copy, this.#agent.attach(scopeId));
  }

  /** Returns a note, or undefined if there is none. */
  async note(noteId: string, options: CallOptions = {}): Promise<Note | undefined> {
    if (this.#holdsNotes()) {
      const note = this.copy.mirror.notes.get(noteId);
      return note && clone(NoteSchema, note);
    }
    try {
      return await this.#agent.notes.get(noteId, options);
    } catch (error) {
      if (error instanceof RecordNotFound) {
        return undefined;
      }
      throw error;
    }
  }

  /** Returns the notes about the bound user, or about no user, in the order of their creation. */
  async notes(options: CallOptions = {}): Promise<Note[]> {
    if (this.#holdsNotes()) {
      const { userId = "" } = this.#agent;
      return [...this.copy.mirror.notes.values()]
        .filter((note) => note.userId === userId)
        .sort(byCreation)
        .map((note) => clone(NoteSchema, note));
    }
    const notes: Note[] = [];
    for await (const note of this.#agent.notes.list(options)) {
      notes.push(note);
    }
    return notes;
  }

  /** Ends the copy. Reads of the cache ask the daemon from then on. */
  async close(): Promise<void> {
    await this.copy.close();
  }

  /** Ends the copy. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #holdsNotes(): boolean {
    return !this.copy.isStale() && this.copy.settings.notes;
  }
}

function byCreation({ createTime: one }: Note, { createTime: other }: Note): number {
  const seconds = Number((one?.seconds ?? 0n) - (other?.seconds ?? 0n));
  return seconds || (one?.nanos ?? 0) - (other?.nanos ?? 0);
}
