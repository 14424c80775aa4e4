import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import type { CallOptions as ConnectCallOptions } from "@connectrpc/connect";
import type { AgentCondition } from "../entry-options.js";
import { InternalError } from "../errors.js";
import type { MemorydTransport } from "../transport.js";
import { requestOf, type Given, type Subject } from "./request.js";

const PAGE_SIZE = 1_000;

type SendOptions = ConnectCallOptions & { readonly waitDurationMs?: number };
type Element<T> = T extends readonly (infer E)[] ? E : never;

/** An option of changes. */
export interface Repeatable {
  /**
   * Makes the change safe to repeat by another call or process: with the same id it is made once. At most 128 bytes.
   * Default: a new id, which the retries of the call have in common.
   */
  readonly requestId?: string;
}

/** An option of changes with a condition on a record. */
export interface WithAgentCondition {
  /** A condition on the agent, besides the one on the record. */
  readonly agentCondition?: AgentCondition;
}

/** An option of reads of several records. */
export interface View {
  /** If false, the records are without what a writer wrote, such as texts, tags and metadata. Default: true. */
  readonly content?: boolean;
}

/** The part of an agent's memory that one service keeps. */
export abstract class Kind {
  /** @internal */
  protected readonly transport: MemorydTransport;
  /** @internal */
  protected readonly subject: Subject;

  /** @internal */
  constructor(transport: MemorydTransport, subject: Subject) {
    this.transport = transport;
    this.subject = subject;
  }

  /** @internal Calls a method with its arguments by their names, and returns the response. */
  protected async call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    options: object,
    kind?: string,
  ): Promise<MessageShape<O>> {
    return this.#send(method, options, { kind });
  }

  /** @internal Calls a method that changes the given fields of a record, and returns the response. */
  protected async change<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    options: object,
    changes: object,
  ): Promise<MessageShape<O>> {
    return this.#send(method, options, { changes });
  }

  /** @internal Yields the records of all pages, which are at one revision. They are in this field of each. */
  protected async *pages<I extends DescMessage, O extends DescMessage, F extends keyof MessageShape<O>>(
    method: DescMethodUnary<I, O>,
    options: object,
    field: F,
    kind?: string,
  ): AsyncGenerator<Element<MessageShape<O>[F]>, void, undefined> {
    let pageToken = "";
    do {
      const page = await this.#send(method, { ...options, pageSize: PAGE_SIZE, pageToken }, { kind });
      yield* page[field] as Element<MessageShape<O>[F]>[];
      pageToken = (page as { nextPageToken?: string }).nextPageToken ?? "";
    } while (pageToken !== "");
  }

  async #send<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    options: object,
    given: Given,
  ): Promise<MessageShape<O>> {
    const { signal, timeoutMs, contextValues, ...fields }: SendOptions = options;
    const { waitDurationMs } = fields;
    const request = requestOf(method.input, this.subject, fields, given);
    // A call that waits for another caller needs that time in addition.
    const timeout = timeoutMs ?? (waitDurationMs && this.transport.settings.timeoutMs + waitDurationMs);
    return (await this.transport.unary(method, signal, timeout, undefined, request, contextValues)).message;
  }
}

/** @internal Returns the record of a response, which has one. */
export function present<T>(record: T | undefined): T {
  if (record === undefined) {
    throw new InternalError("the response has no record", { code: "INTERNAL" });
  }
  return record;
}
