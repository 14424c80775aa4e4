import type { Entry } from "#protos/memoryd/v1/entry_pb";
import type { RemoveEntryResponse, SetEntryResponse } from "#protos/memoryd/v1/working_memory_service_pb";
import type { CallOptions } from "../entry-options.js";
import type { MemorydTransport } from "../transport.js";
import { Lane } from "./lane.js";
import {
  PendingGet,
  PendingRemove,
  PendingSet,
  type GetRequest,
  type PendingCall,
  type RemoveRequest,
  type SetRequest,
} from "./pending.js";

/** The option of automatic batching. */
export interface Batching {
  /** How long a call waits for others, in milliseconds. Default: until the end of the turn of the event loop. */
  readonly windowMs?: number;
}

/** Sends calls that are made at about the same time together. A call that cannot be sent with others is undefined. */
export class Batcher {
  readonly #transport: MemorydTransport;
  readonly #windowMs: number | undefined;
  readonly #lanes = new Map<string, Lane>();
  #isScheduled = false;

  /** Throws a RangeError for a window that is not allowed. */
  constructor(transport: MemorydTransport, { windowMs }: Batching) {
    if (windowMs !== undefined && !(windowMs >= 0 && windowMs <= transport.settings.timeoutMs)) {
      throw new RangeError(`windowMs must be from 0 to the timeout of a call, not ${windowMs}`);
    }
    this.#transport = transport;
    this.#windowMs = windowMs;
  }

  get(request: GetRequest, options: CallOptions): Promise<Entry | undefined> | undefined {
    // A key that is not well-formed is changed when it is sent, and would not be recognized in the response.
    const isNamed = request.key.isWellFormed();
    const isAlone = request.consistency !== undefined || options.timeoutMs !== undefined || !isNamed;
    return isAlone ? undefined : this.#add(new PendingGet(request, options.signal)).result;
  }

  set(request: SetRequest, options: CallOptions): Promise<SetEntryResponse> | undefined {
    const isAlone = request.precondition !== undefined || options.timeoutMs !== undefined;
    return isAlone ? undefined : this.#add(new PendingSet(request, options.signal)).result;
  }

  remove(request: RemoveRequest, options: CallOptions): Promise<RemoveEntryResponse> | undefined {
    const isAlone = request.precondition !== undefined || options.timeoutMs !== undefined;
    return isAlone ? undefined : this.#add(new PendingRemove(request, options.signal)).result;
  }

  /**
   * Sends what waits for the agent of a request. Returns undefined if the request comes after it when it is sent by itself
   * next, otherwise a promise that resolves once it does.
   */
  sendBefore(request: object): Promise<unknown> | undefined {
    const { agentId = "" } = request as { readonly agentId?: string };
    return this.#lanes.get(agentId)?.sendAll();
  }

  #add<C extends PendingCall>(call: C): C {
    const { agentId } = call.request;
    const lane = this.#lanes.get(agentId) ?? new Lane(this.#transport, agentId);
    this.#lanes.set(agentId, lane);
    lane.add(call);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      if (this.#windowMs === undefined) {
        this.#transport.link.afterTurn(this.#send);
      } else {
        setTimeout(this.#send, this.#windowMs);
      }
    }
    return call;
  }

  readonly #send = (): void => {
    this.#isScheduled = false;
    for (const [agentId, lane] of this.#lanes) {
      if (lane.isIdle) {
        this.#lanes.delete(agentId);
      } else {
        lane.send();
      }
    }
  };
}
