import assert from "node:assert/strict";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { checkUrlSecrecy, urlOf } from "../../src/browser/target.js";
import { connect, type Client, type ConnectOptions } from "../../src/browser.js";
import { Cancelled, NotFound, TooLarge, Unauthenticated, Unavailable, Unimplemented } from "../../src/errors.js";
import { Silence } from "../../src/silence.js";
import { DocumentService, EventService, NoteService, WatchPhase, WorkingMemoryService } from "../../src/v1.js";

/** A scripted server of HTTP/1.1 in place of the daemon, and a client of it as in a web page. */
class Served implements AsyncDisposable {
  private constructor(
    readonly server: http.Server,
    readonly client: Client,
  ) {}

  static async routes(routes: (router: ConnectRouter) => void, options: ConnectOptions = {}): Promise<Served> {
    return Served.handler(connectNodeAdapter({ routes }), options);
  }

  static async handler(handler: http.RequestListener, options: ConnectOptions = {}): Promise<Served> {
    const server = http.createServer(handler);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new Served(server, connect({ target, ...options }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

test("the target is a URL, by default the origin of the page", () => {
  const page = { origin: "https://app.example" };
  assert.equal(urlOf("http://127.0.0.1:7600", page).href, "http://127.0.0.1:7600/");
  assert.equal(urlOf("https://app.example/memory", page).href, "https://app.example/memory");
  assert.equal(urlOf(undefined, page).origin, "https://app.example");
});

for (const target of [
  "127.0.0.1:7600",
  "nowhere",
  "ftp://host",
  "http://a:b@host",
  "http://host/?q",
  "http://host/#f",
]) {
  test(`${target} is no URL of a daemon`, () => {
    assert.throws(() => urlOf(target, undefined), { name: "InvalidTarget", message: /is no URL such as/ });
  });
}

test("without a page there is no default", () => {
  assert.throws(() => connect(), { name: "InvalidTarget" });
});

for (const target of ["http://memory.example", "http://10.0.0.1", "http://127.0.0.1.example", "http://[::2]:1"]) {
  test(`a token is sent to ${target} only on request`, () => {
    assert.throws(() => connect({ target, token: "secret" }), { message: /would be sent to .+ in the clear/ });
    assert.throws(() => connect({ target, token: () => "secret" }), { message: /would be sent to .+ in the clear/ });
    connect({ target, token: "secret", insecureToken: true }).close();
    connect({ target }).close();
  });
}

for (const target of ["https://memory.example", "http://127.1:7600", "http://[::1]:1", "http://app.localhost"]) {
  test(`a token may be sent to ${target}`, () => {
    checkUrlSecrecy(new URL(target));
  });
}

test("calls have the origin and the token, whose function is called for each attempt", async () => {
  const sent: (string | null)[] = [];
  let tokens = 0;
  const token = () => Promise.resolve(`t${(tokens += 1)}`);
  await using served = await Served.routes(
    (router) =>
      router.rpc(WorkingMemoryService.method.setEntry, ({ requestId }, { requestHeader }) => {
        sent.push(requestId, requestHeader.get("authorization"), requestHeader.get("memoryd-origin"));
        if (sent.length === 3) {
          throw new ConnectError("away", Code.Unavailable);
        }
        return { revision: 7n };
      }),
    { origin: "page", token },
  );
  assert.equal((await served.client.agent("a").set("k", 1)).revision, 7n);
  const [id, ...rest] = sent;
  assert.match(id ?? "", /^[0-9a-f]{32}$/);
  assert.deepEqual(rest, ["Bearer t1", "page", id, "Bearer t2", "page"]);
});

test("a token that cannot be had fails the call", async () => {
  const cause = new Error("signed out");
  await using served = await Served.routes(() => undefined, { token: () => Promise.reject(cause) });
  await assert.rejects(served.client.agent("a").get("k"), (error) => {
    assert.ok(error instanceof Unauthenticated);
    assert.equal((error.cause as ConnectError).cause, cause);
    return true;
  });
});

test("what is left of the timeout is sent with each attempt", async () => {
  const sent: number[] = [];
  await using served = await Served.routes((router) =>
    router.rpc(WorkingMemoryService.method.getEntry, (_request, { requestHeader }) => {
      if (sent.push(Number(requestHeader.get("connect-timeout-ms"))) === 1) {
        throw new ConnectError("away", Code.Unavailable);
      }
      return {};
    }),
  );
  await served.client.agent("a").get("k", { timeoutMs: 9_000 });
  const [first = 0, second = 0] = sent;
  assert.equal(first, 9_000);
  assert.ok(second > 0 && second < first);
});

test("errors are those of the package", async () => {
  await using served = await Served.routes((router) =>
    router.rpc(NoteService.method.getNote, () => {
      throw new ConnectError("there is none", Code.NotFound);
    }),
  );
  await assert.rejects(served.client.agent("a").notes.get("n"), NotFound);
});

test("a daemon that cannot be reached is unavailable, and the message says what the reason may be", async () => {
  const served = await Served.routes(() => undefined);
  await served[Symbol.asyncDispose]();
  const client = connect({ target: served.client.target, connectTimeoutMs: 1 });
  await assert.rejects(client.agent("a").get("k"), (error) => {
    assert.ok(error instanceof Unavailable);
    assert.match(error.message, /no answer from memoryd at http:.+--http-origin/);
    return true;
  });
});

test("an aborted call rejects at once, and a closed client rejects its calls", async () => {
  const end = new AbortController();
  await using served = await Served.handler(() => {
    end.abort("enough");
  });
  await assert.rejects(served.client.agent("a").get("k", { signal: end.signal }), (error) => {
    assert.ok(error instanceof Cancelled);
    assert.equal(error.cause, "enough");
    return true;
  });
  served.client.close();
  await assert.rejects(served.client.agent("a").get("k"), Cancelled);
});

test("a file is uploaded as a whole, up to the largest request", async () => {
  const received: (Uint8Array | undefined)[] = [];
  await using served = await Served.routes((router) =>
    router.rpc(DocumentService.method.createDocument, ({ draft, content }) => {
      received.push(content.case === "data" ? content.value : undefined);
      return { document: { title: draft?.title ?? "" } };
    }),
  );
  const sent: number[] = [];
  const { documents } = served.client.agent("a");
  const pieces = [new Uint8Array([1, 2]), new Uint8Array([3])];
  const { title } = await documents.upload(pieces, { title: "Three", progress: (bytes) => sent.push(bytes) });
  assert.deepEqual([title, received, sent], ["Three", [new Uint8Array([1, 2, 3])], [3]]);
  const large = Array.from({ length: 17 }, () => new Uint8Array(1024 * 1024));
  await assert.rejects(documents.upload(large), TooLarge);
  assert.equal(received.length, 1);
});

test("a stream of requests is refused, with its reason", async () => {
  await using served = await Served.routes(() => undefined);
  // eslint-disable-next-line @typescript-eslint/require-await -- as an upload has it
  const parts = async function* () {
    yield {};
  };
  const uploading = served.client.stub(DocumentService).uploadDocument(parts());
  await assert.rejects(uploading, (error) => {
    assert.ok(error instanceof Unimplemented);
    assert.match(error.message, /cannot send a stream of requests/);
    return true;
  });
});

test("calls of one turn are batched", async () => {
  const keys: string[][] = [];
  await using served = await Served.routes(
    (router) =>
      router.rpc(WorkingMemoryService.method.batchGetEntries, (request) => {
        keys.push(request.keys);
        return {};
      }),
    { batching: true },
  );
  const agent = served.client.agent("a");
  await Promise.all([agent.get("one"), agent.get("two")]);
  assert.deepEqual(keys, [["one", "two"]]);
});

for (const [how, cut] of [
  ["closed", (response: http.ServerResponse) => response.end()],
  ["cut", (response: http.ServerResponse) => response.destroy()],
] as const) {
  test(`a watch resumes after its stream was ${how}`, async () => {
    let first: http.ServerResponse | undefined;
    const tokens: string[] = [];
    const adapter = connectNodeAdapter({
      routes: (router) =>
        router.rpc(EventService.method.watchEvents, async function* ({ start }, { signal }) {
          tokens.push(start.case === "resumeToken" ? start.value : "");
          yield { phase: WatchPhase.OPENED, resumeToken: `after ${tokens.length}` };
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
          });
        }),
    });
    await using served = await Served.handler((request, response) => {
      first ??= response;
      adapter(request, response);
    });
    const watch = await served.client.agent("a").watch();
    if (first) {
      cut(first);
    }
    for await (const message of watch.messages()) {
      assert.equal(message.phase, WatchPhase.OPENED);
      if (tokens.length === 2) {
        break;
      }
    }
    assert.deepEqual(tokens, ["", "after 1"]);
    assert.equal(watch.resumes, 1);
  });
}

test("a client that is closed ends its watches, and their calls", async () => {
  const left: unknown[] = [];
  await using served = await Served.routes((router) =>
    router.rpc(EventService.method.watchEvents, async function* (_request, { signal }) {
      const ended = new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      yield { phase: WatchPhase.OPENED, resumeToken: "here" };
      left.push(await ended);
    }),
  );
  const watch = await served.client.agent("a").watch();
  served.client.close();
  await assert.rejects(watch[Symbol.asyncIterator]().next(), Cancelled);
  while (left.length === 0) {
    await setImmediate();
  }
});

test("the end of a client or of a signal ends calls also after garbage was collected", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  let left = 0;
  await using served = await Served.routes((router) =>
    router.rpc(EventService.method.watchEvents, async function* (_request, { signal }) {
      signal.addEventListener("abort", () => {
        left += 1;
      });
      yield { phase: WatchPhase.OPENED, resumeToken: "here" };
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    }),
  );
  const end = new AbortController();
  for (const signal of [end.signal, undefined]) {
    const messages = served.client.stub(EventService).watchEvents({}, signal ? { signal } : {});
    await messages[Symbol.asyncIterator]().next();
  }
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage();
    await setImmediate();
  }
  end.abort();
  while (left < 1) {
    await setImmediate();
  }
  served.client.close();
  while (left < 2) {
    await setImmediate();
  }
});

test("a watch resumes once the daemon is silent for two intervals of progress", async (t) => {
  let opened = 0;
  await using served = await Served.routes((router) =>
    router.rpc(EventService.method.watchEvents, async function* (_request, { signal }) {
      opened += 1;
      yield { phase: WatchPhase.OPENED, resumeToken: "here" };
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    }),
  );
  const watch = await served.client.agent("a").watch({ progressIntervalMs: 100 });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const messages = watch.messages();
  await messages.next();
  const next = messages.next();
  while (opened < 2) {
    await setImmediate();
    t.mock.timers.tick(1_000);
  }
  assert.equal((await next).done, false);
  assert.equal(watch.resumes, 1);
  watch.close();
});

test("silence is noticed after its time, and not while nobody waits", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const silence = new Silence(1_000);
  silence.begin();
  t.mock.timers.tick(999);
  silence.end();
  t.mock.timers.tick(10_000);
  assert.equal(silence.signal.aborted, false);
  silence.begin();
  t.mock.timers.tick(1_000);
  assert.equal(silence.signal.aborted, true);
});

test("no silence is too long where the connection notices its end", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const silence = new Silence(Infinity);
  silence.begin();
  t.mock.timers.tick(2 ** 31);
  assert.equal(silence.signal.aborted, false);
});
