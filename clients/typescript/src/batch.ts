import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  BatchWriteEntriesResponseSchema,
  WorkingMemoryService,
  type BatchWriteEntriesResponse,
  type EntryOperationSchema,
} from "#protos/memoryd/v1/working_memory_service_pb";
import { contentOf, preconditionOf, type CallOptions, type Condition, type EntryOptions } from "./entry-options.js";
import type { Place } from "./place.js";
import type { MemorydTransport } from "./transport.js";
import { about } from "./user.js";

/** Up to 1,000 sets and removes in one agent or scope that are written atomically. A key may occur once. */
export class Batch {
  readonly #transport: MemorydTransport;
  readonly #place: Place;
  readonly #userId: string | undefined;
  readonly #operations: MessageInitShape<typeof EntryOperationSchema>[] = [];

  /** @internal */
  constructor(transport: MemorydTransport, place: Place, userId?: string) {
    this.#transport = transport;
    this.#place = place;
    this.#userId = userId;
  }

  /**
   * Stores a value when the batch is committed.
   *
   * @throws UnsupportedValue at once, if JSON cannot represent the value.
   */
  set(key: string, value: unknown, options: EntryOptions & Condition = {}): this {
    const set = { key, ...contentOf(value, about(this.#userId, options)), ...preconditionOf(options) };
    this.#operations.push({ operation: { case: "set", value: set } });
    return this;
  }

  /** Removes a key when the batch is committed. A key without an entry is not an error. */
  remove(key: string, options: Condition = {}): this {
    this.#operations.push({ operation: { case: "remove", value: { key, ...preconditionOf(options) } } });
    return this;
  }

  /** Sends the batch, and returns its results and revision. An empty batch is not sent, and its revision is 0. */
  async commit(options: CallOptions = {}): Promise<BatchWriteEntriesResponse> {
    if (this.#operations.length === 0) {
      return create(BatchWriteEntriesResponseSchema);
    }
    const request = { ...this.#place, operations: this.#operations };
    return this.#transport.stub(WorkingMemoryService).batchWriteEntries(request, options);
  }
}
