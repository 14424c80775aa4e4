import { clone } from "@bufbuild/protobuf";
import type { Event } from "#protos/memoryd/v1/event_pb";
import {
  WatchEventsRequestSchema,
  WatchPhase,
  type WatchEventsRequest,
  type WatchEventsResponse,
} from "#protos/memoryd/v1/event_service_pb";
import type { MemorydError } from "./errors.js";
import { backoffMs } from "./retry.js";
import { mayPass } from "./status.js";

const LONGEST_DELAY_MS = 5_000;

/**
 * The phase of a message that this client adds: the connection broke during the initial state, which is now told again
 * from its beginning. Forget what it told so far.
 */
export const RESTARTED = "RESTARTED";

/** One message of a watch: the daemon's `WatchEventsResponse`, or one of phase {@link RESTARTED}. */
export interface WatchMessage {
  readonly phase: WatchPhase | typeof RESTARTED;
  readonly events: readonly Event[];
  /** The agent's revision up to which all was told, when the filters name exactly one agent, else 0. */
  readonly revision: bigint;
  /** Continues after this message; empty during the initial state. */
  readonly resumeToken: string;
  /** Whether the next message has more events of the last event's revision. */
  readonly revisionContinues: boolean;
}

const restarted: WatchMessage = {
  phase: RESTARTED,
  events: [],
  revision: 0n,
  resumeToken: "",
  revisionContinues: false,
};

/** Where a watch stands, across as many connections as it takes. Times are in milliseconds. */
export class WatchProgress {
  /** The token after the last event that was handed over. */
  resumeToken: string;
  revision = 0n;
  initialStateComplete: boolean;
  resumes = 0;
  readonly #request: WatchEventsRequest;
  readonly #outageMaxMs: number;
  readonly #clock: () => number;
  #position: string;
  #opened = false;
  #heardInitialState = false;
  #failures = 0;
  #giveUpAt: number | undefined;

  constructor(
    request: WatchEventsRequest,
    limits: { readonly connectTimeoutMs: number; readonly outageMaxMs: number },
    clock: () => number = () => performance.now(),
  ) {
    this.#request = request;
    this.resumeToken = this.#position = request.start.case === "resumeToken" ? request.start.value : "";
    this.initialStateComplete = !(request.start.case === "includeInitialState" && request.start.value);
    this.#outageMaxMs = limits.outageMaxMs;
    this.#clock = clock;
    this.#giveUpAt = clock() + limits.connectTimeoutMs;
  }

  /** Answers what to ask the daemon for now: from the start, or after the last message that came. */
  request(): WatchEventsRequest {
    const request = clone(WatchEventsRequestSchema, this.#request);
    if (this.#position !== "") {
      request.start = { case: "resumeToken", value: this.#position };
    }
    return request;
  }

  /** Notes what the daemon answered. */
  receive(response: WatchEventsResponse): WatchMessage {
    this.#failures = 0;
    this.#giveUpAt = undefined;
    if (response.phase === WatchPhase.OPENED) {
      this.resumes += Number(this.#opened);
      this.#opened = true;
    } else if (response.phase === WatchPhase.INITIAL_STATE) {
      this.#heardInitialState = true;
    } else if (response.phase === WatchPhase.INITIAL_STATE_COMPLETE) {
      this.initialStateComplete = true;
    }
    // A token from before the end of the initial state would resume without the rest of it.
    if (this.initialStateComplete) {
      this.#position = response.resumeToken || this.#position;
    }
    return response;
  }

  /** Yields the message's events. The resume token moves on with the last of them: the others are not all dealt with. */
  *deliver(message: WatchMessage): Generator<Event> {
    yield* message.events.slice(0, -1);
    this.delivered(message);
    yield* message.events.slice(-1);
  }

  /** Notes that the watcher has all of the message. */
  delivered(message: WatchMessage): void {
    if (this.initialStateComplete) {
      this.resumeToken = message.resumeToken || this.resumeToken;
    }
    this.revision = message.revision || this.revision;
  }

  /** Answers the milliseconds after which to connect again. Throws the error when that is of no use. */
  lose(error: MemorydError): number {
    if (!mayPass(error)) {
      throw error;
    }
    const now = this.#clock();
    this.#giveUpAt ??= now + this.#outageMaxMs;
    this.#failures += 1;
    const delay = Math.max(error.retryDelayMs ?? 0, backoffMs(this.#failures, LONGEST_DELAY_MS));
    if (now + delay >= this.#giveUpAt) {
      throw error;
    }
    return delay;
  }

  /** Answers what to tell the watcher when its initial state has to begin again; undefined when nothing is lost. */
  restart(): WatchMessage | undefined {
    if (!this.#heardInitialState || this.initialStateComplete) {
      return undefined;
    }
    this.#heardInitialState = false;
    return restarted;
  }
}
