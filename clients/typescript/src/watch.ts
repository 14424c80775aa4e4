import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { Event, EventCause, EventFilterSchema, EventType } from "#protos/memoryd/v1/event_pb";
import { EventService, WatchEventsRequestSchema, type WatchEventsRequest } from "#protos/memoryd/v1/event_service_pb";
import { RecordView } from "#protos/memoryd/v1/listing_pb";
import type { RecordFilterSchema } from "#protos/memoryd/v1/record_filter_pb";
import type { RecordKind } from "#protos/memoryd/v1/record_pb";
import type { Revision } from "./entry-options.js";
import { Cancelled, Unavailable, type MemorydError } from "./errors.js";
import { copyOf, select, selectUsers } from "./record-filter.js";
import { Silence } from "./silence.js";
import { errorFrom } from "./status.js";
import type { MemorydTransport } from "./transport.js";
import { wait } from "./wait.js";
import { WatchProgress, type WatchMessage } from "./watch-progress.js";

const DEFAULT_OUTAGE_MAX_MS = 300_000;
const DEFAULT_PROGRESS_INTERVAL_MS = 30_000;
/** How late a message of progress may be, in milliseconds. */
const DELAY_MAX_MS = 10_000;

/**
 * Selects the events that match all of its fields. With `keyPrefix`, `conversationIds` or `userIds`, events that may
 * concern such records, such as those about the whole agent, are emitted, too. A list is not empty: watching throws a
 * TypeError then, as it does for one that `record` has, too.
 */
export interface EventSelection {
  /** Selects the events about entries whose key starts with it. */
  readonly keyPrefix?: string;
  /** Selects the events of these types. */
  readonly eventTypes?: readonly EventType[];
  /** Selects the events about records of these kinds. */
  readonly kinds?: readonly RecordKind[];
  /** Selects the events of these causes. Those of the initial state have `EventCause.INITIAL_STATE`. */
  readonly causes?: readonly EventCause[];
  /**
   * Selects the events of these conversations, and of their messages, plans, windows of entities and memories. An empty
   * id selects records of no conversation.
   */
  readonly conversationIds?: readonly string[];
  /** Selects the events of records about these users. An empty id selects records about no user. */
  readonly userIds?: readonly string[];
  /**
   * Selects the events of the records that this filter selects. `conversationIds` and `userIds` are added to it; it has
   * none of them itself.
   */
  readonly record?: MessageInitShape<typeof RecordFilterSchema>;
}

/**
 * The options of a watch. At most one of `resumeToken`, `afterRevision` and `initialState` may be given; without one
 * the watch begins with the next commit.
 */
export interface WatchOptions {
  /** Continues after the last event that another watch had yielded when it had this token. */
  readonly resumeToken?: string;
  /** Begins with the events after this revision. The filters must name exactly one agent. */
  readonly afterRevision?: Revision;
  /** If true, the watch begins with the existing state. */
  readonly initialState?: boolean;
  /** If false, events are without content: without anything that a writer wrote, such as values. Default: true. */
  readonly content?: boolean;
  /** If true, events also have the record before the change, if the journal still retains it. */
  readonly previous?: boolean;
  /** How often the resume token advances when no event matches, in milliseconds. Default: 30,000. */
  readonly progressIntervalMs?: number;
  /**
   * If true, {@link Watch.messages} also yields a PROGRESS message for each commit of which no event is selected, at once:
   * it has the commit's revision. The filters must name exactly one agent.
   */
  readonly progressOnCommit?: boolean;
  /** Omits the events that this origin caused. */
  readonly excludeOrigin?: string;
  /** How long the daemon may stay unavailable before the watch fails, in milliseconds. Default: 300,000. */
  readonly outageMaxMs?: number;
  /** Ends the watch when it is aborted. Iterating throws `Cancelled` then. */
  readonly signal?: AbortSignal;
}

/**
 * Committed events as they happen: each once, in order, also across restarts of the daemon. Iterate over it once:
 * `for await (const event of watch)`. Leaving the loop ends the watch.
 *
 * What an event is about is its `subject`, a union that `subject.case` discriminates:
 *
 * ```ts
 * if (subject.case === "entry") {
 *   console.log(subject.value.key, decode(subject.value.entry)); // undefined if it was removed
 * }
 * ```
 *
 * Each has the ids of the record, the record after the change, which is undefined if the change removed it, and the one
 * before it (see {@link WatchOptions.previous}). The case is undefined if the server is newer than this client and has
 * other subjects.
 *
 * Iterating throws `RevisionCompacted` if the journal no longer retains the next event, `Unavailable` if the daemon
 * stays unavailable for too long, and other {@link MemorydError}s if the watch is refused.
 */
export class Watch implements AsyncIterable<Event>, AsyncDisposable {
  readonly #transport: MemorydTransport;
  readonly #progress: WatchProgress;
  readonly #signal: AbortSignal | undefined;
  readonly #silenceMaxMs: number;
  readonly #end = new AbortController();
  readonly #received: AsyncGenerator<WatchMessage, void, undefined>;
  #opened: WatchMessage | undefined;

  private constructor(transport: MemorydTransport, request: WatchEventsRequest, options: WatchOptions) {
    const { outageMaxMs = DEFAULT_OUTAGE_MAX_MS, progressIntervalMs = DEFAULT_PROGRESS_INTERVAL_MS } = options;
    this.#transport = transport;
    this.#progress = new WatchProgress(request, { ...transport.settings, outageMaxMs });
    this.#signal = options.signal;
    this.#silenceMaxMs = transport.link.noticesSilence ? Infinity : 2 * progressIntervalMs + DELAY_MAX_MS;
    this.#signal?.addEventListener("abort", this.close);
    this.#received = this.#receive();
  }

  /** @internal */
  static async open(
    transport: MemorydTransport,
    filters: readonly MessageInitShape<typeof EventFilterSchema>[],
    options: WatchOptions,
  ): Promise<Watch> {
    const watch = new Watch(transport, requestOf(filters, options), options);
    try {
      const first = await watch.#received.next();
      if (!first.done) {
        watch.#opened = first.value;
        watch.#progress.delivered(first.value);
      }
      return watch;
    } catch (error) {
      watch.close();
      throw error;
    }
  }

  /**
   * The token with which a later watch continues after the last event that was yielded. Save it once that event is
   * processed. Within a message of many events it stays at the previous message.
   */
  get resumeToken(): string {
    return this.#progress.resumeToken;
  }

  /** The agent's revision up to which all events were yielded if the filters name exactly one agent, else 0. */
  get revision(): bigint {
    return this.#progress.revision;
  }

  /** True once the initial state was received completely, and from the start if none was requested. */
  get initialStateComplete(): boolean {
    return this.#progress.initialStateComplete;
  }

  /** The number of times the watch has reconnected. */
  get resumes(): number {
    return this.#progress.resumes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    try {
      for await (const message of this.#received) {
        yield* this.#progress.deliver(message);
      }
    } finally {
      this.close();
    }
  }

  /** Yields the messages with their phases instead of the events alone. */
  async *messages(): AsyncGenerator<WatchMessage, void, undefined> {
    try {
      if (this.#opened) {
        yield this.#opened;
      }
      for await (const message of this.#received) {
        this.#progress.delivered(message);
        yield message;
      }
    } finally {
      this.close();
    }
  }

  /** Ends the watch. An iteration over it ends without an error. */
  readonly close = (): void => {
    this.#signal?.removeEventListener("abort", this.close);
    this.#end.abort();
  };

  /** Ends the watch. */
  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  async *#receive(): AsyncGenerator<WatchMessage, void, undefined> {
    const stub = this.#transport.stub(EventService);
    while (!this.#hasEnded()) {
      let lost: MemorydError = new Unavailable("the daemon ended the watch", { code: "UNAVAILABLE" });
      const silence = new Silence(this.#silenceMaxMs);
      try {
        silence.begin();
        const signal = AbortSignal.any([this.#end.signal, silence.signal]);
        for await (const response of stub.watchEvents(this.#progress.request(), { signal })) {
          silence.end();
          yield this.#progress.receive(response);
          silence.begin();
        }
      } catch (error) {
        lost = silence.signal.aborted
          ? new Unavailable("the daemon fell silent", { code: "UNAVAILABLE", cause: error })
          : errorFrom(error, this.#transport.settings.target);
      } finally {
        silence.end();
      }
      if (!this.#hasEnded()) {
        await wait(this.#progress.lose(lost), this.#end.signal, this.#transport.closed);
        const restarted = this.#progress.restart();
        if (restarted) {
          yield restarted;
        }
      }
    }
  }

  /** Returns whether the watch was closed. Throws if the signal or the client ended it. */
  #hasEnded(): boolean {
    if (this.#signal?.aborted) {
      throw new Cancelled("the watch was aborted", { code: "CANCELLED", cause: this.#signal.reason });
    }
    if (this.#end.signal.aborted) {
      return true;
    }
    if (this.#transport.closed.aborted) {
      throw new Cancelled("the client was closed", { code: "CANCELLED" });
    }
    return false;
  }
}

/**
 * Returns the fields of a filter of events.
 *
 * @internal
 */
export function selectionOf(selection: EventSelection) {
  const { keyPrefix = "", eventTypes, kinds, causes } = selection;
  return {
    keyPrefix,
    eventTypes: someOf(eventTypes, "eventTypes"),
    kinds: someOf(kinds, "kinds"),
    causes: someOf(causes, "causes"),
    ...recordOf(selection),
  };
}

function someOf<T>(given: readonly T[] | undefined, name: string): T[] {
  const chosen: T[] = [];
  select(chosen, given, name);
  return chosen;
}

function recordOf({ record: given, conversationIds, userIds }: EventSelection) {
  if (given === undefined && conversationIds === undefined && userIds === undefined) {
    return {};
  }
  const record = copyOf(given);
  select(record.conversationIds, conversationIds, "conversationIds");
  selectUsers(record, userIds);
  return { record };
}

function requestOf(
  filters: readonly MessageInitShape<typeof EventFilterSchema>[],
  options: WatchOptions,
): WatchEventsRequest {
  const {
    content = true,
    previous = false,
    progressIntervalMs,
    progressOnCommit = false,
    excludeOrigin = "",
  } = options;
  return create(WatchEventsRequestSchema, {
    filters: [...filters],
    start: startOf(options),
    view: content ? RecordView.FULL : RecordView.WITHOUT_CONTENT,
    includePrevious: previous,
    ...(progressIntervalMs !== undefined && { progressInterval: durationFromMs(progressIntervalMs) }),
    progressOnCommit,
    excludeOrigin,
  });
}

function startOf({ resumeToken, afterRevision, initialState }: WatchOptions): WatchEventsRequest["start"] {
  const given = [resumeToken !== undefined, afterRevision !== undefined, initialState === true];
  if (given.filter(Boolean).length > 1) {
    throw new TypeError("resumeToken, afterRevision and initialState exclude each other");
  }
  if (resumeToken !== undefined) {
    return { case: "resumeToken", value: resumeToken };
  }
  if (afterRevision !== undefined) {
    return { case: "afterRevision", value: BigInt(afterRevision) };
  }
  return initialState ? { case: "includeInitialState", value: true } : { case: undefined };
}
