import { Code, ConnectError } from "@connectrpc/connect";

// A browser does not say to a page which of them it was.
const UNREACHABLE = "nothing listens there, or pages of this origin may not call (memoryd serve --http-origin)";
const CUT_OFF = "the connection was cut";
const OWN = { credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" } as const;

/**
 * Calls the global `fetch` without cookies, caches and redirects.
 *
 * @throws ConnectError of the code Unavailable if there is no response; reading one that is cut off throws one, too.
 */
export async function fetchWithoutCookies(
  input: Parameters<typeof fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  const { signal } = init;
  const response = await fetch(input, { ...init, ...OWN }).catch((error: unknown) => lost(error, signal, UNREACHABLE));
  return response.body ? new Response(guarded(response.body, signal), response) : response;
}

/** Returns a body whose end by a broken connection is the end of a daemon, not a fault of this page. */
function guarded(body: ReadableStream<Uint8Array>, signal: AbortSignal | null | undefined): ReadableStream {
  const reader = body.getReader();
  // The fetch of Node.js forgets its signal when garbage is collected: the connection would stay open.
  const cut = (): void => {
    reader.cancel(signal?.reason).catch(() => undefined);
  };
  const release = (): void => {
    signal?.removeEventListener("abort", cut);
  };
  signal?.addEventListener("abort", cut);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        release();
        return lost(error, signal, CUT_OFF);
      });
      if (done) {
        release();
        signal?.throwIfAborted();
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    cancel(reason) {
      release();
      return reader.cancel(reason);
    },
  });
}

function lost(error: unknown, signal: AbortSignal | null | undefined, message: string): never {
  throw signal?.aborted ? error : new ConnectError(message, Code.Unavailable, undefined, undefined, error);
}
