import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { Link } from "../link.js";
import { CONNECT_TIMEOUT } from "../retry.js";
import { fetchWithoutCookies } from "./fetch.js";

/** The bearer token of calls, or a function that returns it. */
export type Token = string | (() => string | Promise<string>);

/** Calls by `fetch`, in Connect's protocol with binary messages. */
export class FetchLink implements Link {
  readonly timeoutHeader = CONNECT_TIMEOUT;
  readonly sendsStreams = false;
  readonly noticesSilence = false;
  readonly #closing = new AbortController();

  constructor(
    readonly baseUrl: string,
    readonly token: Token | undefined,
  ) {}

  transport(interceptors: Interceptor[]): Transport {
    return createConnectTransport({
      baseUrl: this.baseUrl,
      useBinaryFormat: true,
      fetch: (input, init) => fetchWithoutCookies(input, { ...init, signal: this.#endOf(init?.signal) }),
      // The last one is called for each attempt: a token may have expired since the one before.
      interceptors: this.token === undefined ? interceptors : [...interceptors, tokenInterceptor(this.token)],
    });
  }

  share(): void {
    // A web page counts no listeners.
  }

  afterTurn(run: () => void): void {
    // A timer would wait for 4 ms, and for a second in a tab that is not in front.
    const { port1, port2 } = new MessageChannel();
    const onmessage = (): void => {
      port1.close();
      run();
    };
    Object.assign(port1, { onmessage });
    port2.postMessage(undefined);
  }

  close(): void {
    this.#closing.abort();
  }

  /** Returns the signal of a call that also ends with the client. */
  #endOf(signal: AbortSignal | null | undefined): AbortSignal {
    const { signal: closed } = this.#closing;
    return signal ? AbortSignal.any([signal, closed]) : closed;
  }
}

function tokenInterceptor(token: Token): Interceptor {
  return (next) => async (req) => {
    req.header.set("authorization", `Bearer ${await valueOf(token)}`);
    return next(req);
  };
}

async function valueOf(token: Token): Promise<string> {
  try {
    return typeof token === "string" ? token : await token();
  } catch (cause) {
    throw new ConnectError("the function of the token has failed", Code.Unauthenticated, undefined, undefined, cause);
  }
}
