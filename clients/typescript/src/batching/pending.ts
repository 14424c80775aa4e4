import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Entry } from "#protos/memoryd/v1/entry_pb";
import type {
  GetEntryRequestSchema,
  RemoveEntryRequestSchema,
  RemoveEntryResponse,
  SetEntryRequestSchema,
  SetEntryResponse,
} from "#protos/memoryd/v1/working_memory_service_pb";
import { Cancelled } from "../errors.js";

type Fields<I> = Exclude<I, { $typeName: string }>;

interface Named {
  readonly agentId: string;
  readonly scopeId: string;
  readonly key: string;
}

export type GetRequest = Named & Fields<MessageInitShape<typeof GetEntryRequestSchema>>;
export type SetRequest = Named & Fields<MessageInitShape<typeof SetEntryRequestSchema>>;
export type RemoveRequest = Named & Fields<MessageInitShape<typeof RemoveEntryRequestSchema>>;

/** One call that waits to be sent with others, and its result. */
export class Pending<R extends Named, T> {
  readonly result: Promise<T>;
  readonly since = performance.now();
  /** Called when the caller aborts the call. */
  aborted = (): void => undefined;
  #resolve!: (result: T) => void;
  #reject!: (error: unknown) => void;
  #isOver = false;

  constructor(
    readonly request: R,
    readonly signal: AbortSignal | undefined,
  ) {
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) {
      this.#abort();
    }
  }

  /** True once it has a result. */
  get isOver(): boolean {
    return this.#isOver;
  }

  resolve(result: T): void {
    this.#end();
    this.#resolve(result);
  }

  reject(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  readonly #abort = (): void => {
    this.reject(new Cancelled("the call was aborted", { code: "CANCELLED", cause: this.signal?.reason }));
    this.aborted();
  };

  #end(): void {
    this.#isOver = true;
    this.signal?.removeEventListener("abort", this.#abort);
  }
}

export class PendingGet extends Pending<GetRequest, Entry | undefined> {}
export class PendingSet extends Pending<SetRequest, SetEntryResponse> {}
export class PendingRemove extends Pending<RemoveRequest, RemoveEntryResponse> {}

export type PendingWrite = PendingSet | PendingRemove;
export type PendingCall = PendingGet | PendingWrite;
