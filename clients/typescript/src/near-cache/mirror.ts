import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Entry } from "#protos/memoryd/v1/entry_pb";
import { EventType, type Event } from "#protos/memoryd/v1/event_pb";
import { WatchPhase } from "#protos/memoryd/v1/event_service_pb";
import type { Note } from "#protos/memoryd/v1/note_pb";
import { CacheFull } from "../errors.js";
import type { WatchMessage } from "../watch-progress.js";

const ROOT = "";
/** The memory that a record takes beside its texts. */
const RECORD_BYTES = 1_000;

type Entries = Map<string, Entry>;

/** A copy of an agent's entries, scopes and notes at a revision. Commits are applied whole, in their order. */
export class Mirror {
  revision = 0n;
  /** The number of ends of the agent. */
  lives = 0;
  /** True if a record says so: where none is selected, the agent may exist nonetheless. */
  exists = false;
  /** True if the last commit has ended the agent. */
  hasEnded = false;
  isComplete = false;
  /** The memory of all records, roughly. */
  sizeBytes = 0;
  readonly notes = new Map<string, Note>();
  /** Where a look-up in a scope reads: in its own entries, those of its ancestors, and the root's at last. */
  readonly #paths = new Map<string, readonly [Entries, ...Entries[]]>([[ROOT, [new Map()]]]);
  readonly #maxBytes: number;
  readonly #clock: () => number;
  #unfinished: Event[] = [];

  /** `clock` returns the milliseconds since the epoch. */
  constructor(maxBytes: number, clock: () => number = Date.now) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /**
   * Applies a message. Events of a commit that continues in the next message wait for it.
   *
   * @throws CacheFull if the records take more memory than is allowed.
   */
  apply(message: WatchMessage): void {
    if (message.phase === WatchPhase.OPENED) {
      // It has no events, and may come between two messages of one commit, when a connection was replaced.
      return;
    }
    if (message.revisionContinues) {
      this.#unfinished.push(...message.events);
      return;
    }
    if (message.revision !== this.revision) {
      this.hasEnded = false;
    }
    const unfinished = this.#unfinished;
    this.#unfinished = [];
    for (const events of [unfinished, message.events]) {
      for (const event of events) {
        this.#change(event);
      }
    }
    this.revision = message.revision;
    this.isComplete ||= message.phase === WatchPhase.INITIAL_STATE_COMPLETE;
    if (this.sizeBytes > this.#maxBytes) {
      throw new CacheFull(`the near cache is full: its records take more than ${this.#maxBytes} bytes`);
    }
  }

  /** Returns true if the mirror has a scope, or if it is the root. */
  has(scopeId: string): boolean {
    return this.#paths.has(scopeId);
  }

  /** Returns what a look-up in a scope finds. */
  find(scopeId: string, key: string, localOnly: boolean): Entry | undefined {
    for (const entries of this.#path(scopeId, localOnly)) {
      const found = entries.get(key);
      if (found && this.#isAlive(found)) {
        return found;
      }
    }
    return undefined;
  }

  /** Yields the entries of a scope, or with those that it inherits. */
  *entries(scopeId: string, keyPrefix: string, inherited: boolean): Generator<Entry, void, undefined> {
    const seen = new Set<string>();
    for (const entries of this.#path(scopeId, !inherited)) {
      for (const [key, found] of entries) {
        if (key.startsWith(keyPrefix) && !seen.has(key) && this.#isAlive(found)) {
          seen.add(key);
          yield found;
        }
      }
    }
  }

  #path(scopeId: string, localOnly: boolean): readonly Entries[] {
    const path = this.#paths.get(scopeId) ?? [];
    return localOnly ? path.slice(0, 1) : path;
  }

  #isAlive({ expireTime }: Entry): boolean {
    return expireTime === undefined || this.#clock() < timestampMs(expireTime);
  }

  #change({ type, subject }: Event): void {
    this.hasEnded = type === EventType.AGENT_ENDED;
    this.exists = !this.hasEnded;
    switch (subject.case) {
      case "entry":
        this.#setEntry(subject.value.scopeId, subject.value.key, subject.value.entry);
        break;
      case "scope":
        if (type === EventType.SCOPE_DISPOSED) {
          this.#clear(subject.value.scopeId);
          this.#paths.delete(subject.value.scopeId);
        } else {
          this.#addScope(subject.value.scopeId, subject.value.parentScopeId);
        }
        break;
      case "note":
        this.#setNote(subject.value.noteId, subject.value.note);
        break;
      case "cleared":
        if (type === EventType.ENTRIES_CLEARED) {
          this.#clear(subject.value.scopeId);
        } else if (type === EventType.NOTES_CLEARED) {
          for (const noteId of [...this.notes.keys()]) {
            this.#setNote(noteId, undefined);
          }
        }
        break;
      case "agent":
        if (!this.exists) {
          this.#end();
        }
        break;
    }
  }

  #end(): void {
    this.#paths.clear();
    this.#paths.set(ROOT, [new Map()]);
    this.notes.clear();
    this.sizeBytes = 0;
    this.lives += 1;
  }

  #addScope(scopeId: string, parentScopeId: string): void {
    const parent = this.#paths.get(parentScopeId);
    if (parent && !this.#paths.has(scopeId)) {
      this.#paths.set(scopeId, [new Map<string, Entry>(), ...parent]);
    }
  }

  #setEntry(scopeId: string, key: string, entry: Entry | undefined): void {
    const entries = this.#paths.get(scopeId)?.[0];
    if (!entries) {
      return;
    }
    this.sizeBytes -= entryBytes(entries.get(key));
    this.sizeBytes += entryBytes(entry);
    if (entry) {
      entries.set(key, entry);
    } else {
      entries.delete(key);
    }
  }

  #setNote(noteId: string, note: Note | undefined): void {
    this.sizeBytes -= noteBytes(this.notes.get(noteId));
    this.sizeBytes += noteBytes(note);
    if (note) {
      this.notes.set(noteId, note);
    } else {
      this.notes.delete(noteId);
    }
  }

  #clear(scopeId: string): void {
    const entries = this.#paths.get(scopeId)?.[0];
    for (const entry of entries?.values() ?? []) {
      this.sizeBytes -= entryBytes(entry);
    }
    entries?.clear();
  }
}

function entryBytes(entry: Entry | undefined): number {
  return entry ? RECORD_BYTES + entry.key.length + entry.valueJson.length : 0;
}

function noteBytes(note: Note | undefined): number {
  return note ? RECORD_BYTES + note.title.length + note.content.length : 0;
}
