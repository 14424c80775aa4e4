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
 * The phase of a message that this client adds: the connection broke during the initial state, which is sent again from
 * its beginning. Discard what was received of it so far.
 */
export const RESTARTED = "RESTARTED";

/** One message of a watch: the daemon's `WatchEventsResponse`, or one of phase {@link RESTARTED}. */
export interface WatchMessage {
  readonly phase: WatchPhase | typeof RESTARTED;
  readonly events: readonly Event[];
  /** The agent's revision up to which all events were sent if the filters name exactly one agent, else 0. */
  readonly revision: bigint;
  /** The token that continues after this message. Empty during the initial state. */
  readonly resumeToken: string;
  /** True if the next message has more events of the last event's revision. */
  readonly revisionContinues: boolean;
}

const restarted: WatchMessage = {
  phase: RESTARTED,
  events: [],
  revision: 0n,
  resumeToken: "",
  revisionContinues: false,
};

/** The state of a watch across its connections. Does no I/O. Times are in milliseconds. */
export class WatchProgress {
  /** The token after the last message whose events were all delivered. */
  resumeToken: string;
  revision = 0n;
  initialStateComplete: boolean;
  resumes = 0;
  readonly #request: WatchEventsRequest;
  readonly #outageMaxMs: number;
  readonly #clock: () => number;
  /** The token after the last message that was received, where a reconnection continues. */
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

  /** Returns the request for the next connection: from the start, or after the last message that was received. */
  request(): WatchEventsRequest {
    const request = clone(WatchEventsRequestSchema, this.#request);
    if (this.#position !== "") {
      request.start = { case: "resumeToken", value: this.#position };
    }
    return request;
  }

  /** Processes a message from the daemon. */
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

  /**
   * Yields the message's events. The resume token advances with the last one: earlier, a watch from it would miss
   * events.
   */
  *deliver(message: WatchMessage): Generator<Event> {
    yield* message.events.slice(0, -1);
    this.delivered(message);
    yield* message.events.slice(-1);
  }

  /** Advances the resume token past a message whose events were all delivered. */
  delivered(message: WatchMessage): void {
    if (this.initialStateComplete) {
      this.resumeToken = message.resumeToken || this.resumeToken;
    }
    this.revision = message.revision || this.revision;
  }

  /** Returns the milliseconds to wait before the next connection. Throws the error if there is none. */
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

  /** Returns a message that the initial state begins again, or undefined if none of it is lost. */
  restart(): WatchMessage | undefined {
    if (!this.#heardInitialState || this.initialStateComplete) {
      return undefined;
    }
    this.#heardInitialState = false;
    return restarted;
  }
}
