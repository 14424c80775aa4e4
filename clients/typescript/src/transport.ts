import type {
  DescMessage,
  DescMethodStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
} from "@bufbuild/protobuf";
import {
  createClient,
  type Client,
  type ContextValues,
  type Interceptor,
  type StreamResponse,
  type Transport,
  type UnaryResponse,
} from "@connectrpc/connect";
import { Batcher, type Batching } from "./batching/batcher.js";
import { ofLane } from "./batching/lane.js";
import { Cancelled, Unimplemented, type MemorydError } from "./errors.js";
import type { Link } from "./link.js";
import { Witnesses } from "./near-cache/witnesses.js";
import { requestIdInterceptor } from "./request-id.js";
import { isRead, retryInterceptor } from "./retry.js";
import { errorFrom } from "./status.js";
import { unlessAborted } from "./wait.js";

type HeadersInit = ConstructorParameters<typeof Headers>[0];

/** The settings of a transport. Times are in milliseconds. */
export interface Settings {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly batching: Batching | undefined;
}

/** Connect's transport over a link with the timeout, the retries and the errors of this package. */
export class MemorydTransport implements Transport {
  readonly closed: AbortSignal;
  /** The near caches that see the changes of this connection. */
  readonly witnesses = new Witnesses();
  /** Sends calls of working memory together, if that is wanted. */
  readonly batcher: Batcher | undefined;
  readonly #closing = new AbortController();
  readonly #transport: Transport;
  readonly #stubs = new Map<DescService, unknown>();

  constructor(
    readonly settings: Settings,
    readonly link: Link,
  ) {
    this.batcher = settings.batching && new Batcher(this, settings.batching);
    this.closed = this.#closing.signal;
    link.share(this.closed);
    this.#transport = link.transport([
      headerInterceptor(settings.headers),
      requestIdInterceptor,
      retryInterceptor(settings, this.closed, link.timeoutHeader),
    ]);
  }

  async unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    header: HeadersInit | undefined,
    input: MessageInitShape<I>,
    contextValues?: ContextValues,
  ): Promise<UnaryResponse<I, O>> {
    this.#prepare(signal);
    const waited = contextValues?.get(ofLane) ? 0 : await this.#turn(input, signal);
    const given = timeoutMs ?? this.settings.timeoutMs;
    const limit = waited === 0 ? given : Math.max(1, given - waited);
    // For Connect, 0 means no timeout. Its header has only whole milliseconds.
    const timeout = limit === Infinity ? 0 : Math.ceil(limit);
    const show = isRead(method) ? undefined : this.witnesses.expect(method.input.typeName, input);
    let response: UnaryResponse<I, O>;
    try {
      response = await this.#transport.unary(method, signal, timeout, header, input, contextValues);
    } catch (thrown) {
      throw this.#failure(thrown, signal);
    }
    await show?.(response.message, signal);
    return response;
  }

  async stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodStreaming<I, O>,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    header: HeadersInit | undefined,
    input: AsyncIterable<MessageInitShape<I>>,
    contextValues?: ContextValues,
  ): Promise<StreamResponse<I, O>> {
    this.#prepare(signal);
    if (!this.link.sendsStreams && method.methodKind !== "server_streaming") {
      throw new Unimplemented(`a web page cannot send a stream of requests: ${method.name}`, { code: "UNIMPLEMENTED" });
    }
    try {
      const response = await this.#transport.stream(method, signal, timeoutMs, header, input, contextValues);
      return { ...response, message: this.#withFailures(response.message, signal) };
    } catch (thrown) {
      throw this.#failure(thrown, signal);
    }
  }

  /** Returns the generated stub of a service. */
  stub<S extends DescService>(service: S): Client<S> {
    const stub = (this.#stubs.get(service) as Client<S> | undefined) ?? createClient(service, this);
    this.#stubs.set(service, stub);
    return stub;
  }

  /** Closes the connection, and cancels all calls on it. */
  close(): void {
    this.#closing.abort();
    this.link.close();
  }

  /** Waits until a call comes after those that were batched before it. Returns the milliseconds that it has waited. */
  async #turn(request: object, signal: AbortSignal | undefined): Promise<number> {
    const earlier = this.batcher?.sendBefore(request);
    if (!earlier) {
      return 0;
    }
    const began = performance.now();
    await unlessAborted(earlier, signal);
    return performance.now() - began;
  }

  async *#withFailures<T>(messages: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
    try {
      yield* messages;
    } catch (thrown) {
      throw this.#failure(thrown, signal);
    }
  }

  #prepare(signal: AbortSignal | undefined): void {
    if (signal) {
      this.link.share(signal);
    }
    if (this.closed.aborted) {
      throw new Cancelled("the client is closed", { code: "CANCELLED" });
    }
  }

  #failure(thrown: unknown, signal: AbortSignal | undefined): MemorydError {
    if (signal?.aborted) {
      return new Cancelled("the call was aborted", { code: "CANCELLED", cause: signal.reason });
    }
    if (this.closed.aborted) {
      return new Cancelled("the client was closed", { code: "CANCELLED" });
    }
    return errorFrom(thrown, this.settings.target);
  }
}

function headerInterceptor(headers: Readonly<Record<string, string>>): Interceptor {
  return (next) => (req) => {
    for (const [name, value] of Object.entries(headers)) {
      req.header.set(name, value);
    }
    return next(req);
  };
}
