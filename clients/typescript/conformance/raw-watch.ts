import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { Client } from "memoryd";
import {
  EventSchema,
  EventService,
  WatchEventsRequestSchema,
  WatchPhase,
  type Event,
  type WatchEventsResponse,
} from "memoryd/v1";
import { jsonOf } from "./stubs.js";

const TIMEOUT_MS = 30_000;

/** A watch of a scenario, over the generated stub. */
export class RawWatch {
  readonly #end = new AbortController();
  readonly #messages: AsyncIterator<WatchEventsResponse>;
  #events: Event[] = [];

  constructor(client: Client, request: JsonValue) {
    const message = fromJson(WatchEventsRequestSchema, request);
    const stream = client.stub(EventService).watchEvents(message, { signal: this.#end.signal });
    this.#messages = stream[Symbol.asyncIterator]();
  }

  /** Waits for the first message, which must be OPENED. */
  async open(): Promise<void> {
    const { phase } = await this.#within(this.#next());
    if (phase !== WatchPhase.OPENED) {
      throw new Error(`the first message is ${WatchPhase[phase]}`);
    }
  }

  /** Waits for the next `count` events, and returns them as JSON. */
  async take(count: number): Promise<JsonValue[]> {
    await this.#within(this.#gather(count));
    const taken = this.#events.slice(0, count);
    this.#events = this.#events.slice(count);
    return taken.map((event) => jsonOf(EventSchema, event));
  }

  close(): void {
    this.#end.abort();
  }

  async #gather(count: number): Promise<void> {
    while (this.#events.length < count) {
      this.#events.push(...(await this.#next()).events);
    }
  }

  async #next(): Promise<WatchEventsResponse> {
    const next = await this.#messages.next();
    if (next.done) {
      throw new Error("the watch ended");
    }
    return next.value;
  }

  async #within<T>(waiting: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#end.abort(new Error("timeout"));
    }, TIMEOUT_MS);
    try {
      return await waiting;
    } finally {
      clearTimeout(timer);
    }
  }
}
