// The clients of Connect and gRPC-Web that web pages and programs in Node use, against a daemon: MEMORYD_ADDRESS.
//
// Their services are made of the descriptors in MEMORYD_FILES, so that no code is generated.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";

import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import * as node from "@connectrpc/connect-node";
import * as web from "@connectrpc/connect-web";

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(process.env.MEMORYD_FILES)));
const errorInfo = registry.getMessage("google.rpc.ErrorInfo");
const baseUrl = `http://${process.env.MEMORYD_ADDRESS}`;
const http2 = () => {
  const sessionManager = new node.Http2SessionManager(baseUrl);
  after(() => sessionManager.abort());
  return { baseUrl, httpVersion: "2", sessionManager };
};
const compressed = { acceptCompression: [node.compressionGzip], sendCompression: node.compressionGzip, compressMinBytes: 64 };

const isServed = ([name]) => process.env.MEMORYD_HTTP_VERSION === "2" || !/HTTP\/2|gRPC of node/.test(name);
const transports = {
  "connect-web": web.createConnectTransport({ baseUrl }),
  "connect-web, binary": web.createConnectTransport({ baseUrl, useBinaryFormat: true }),
  "connect-web, reads by GET": web.createConnectTransport({ baseUrl, useHttpGet: true }),
  "gRPC-Web": web.createGrpcWebTransport({ baseUrl }),
  "connect-node over HTTP/1.1": node.createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  "connect-node over HTTP/1.1, compressed": node.createConnectTransport({ baseUrl, httpVersion: "1.1", ...compressed }),
  "connect-node over HTTP/2, JSON": node.createConnectTransport({ ...http2(), useBinaryFormat: false }),
  "connect-node over HTTP/2, compressed": node.createConnectTransport({ ...http2(), ...compressed }),
  "gRPC-Web of node, compressed": node.createGrpcWebTransport({ baseUrl, httpVersion: "1.1", ...compressed }),
  "gRPC of node": node.createGrpcTransport({ ...http2(), ...compressed }),
};

function client(name, transport) {
  return createClient(registry.getService(`memoryd.v1.${name}`), transport);
}

// fetch sends no stream over HTTP/1.1, and gRPC-Web has none.
const uploads = (name) => name.startsWith("connect-node") || name.startsWith("gRPC of");

for (const [name, transport] of Object.entries(transports).filter(isServed)) {
  const entries = client("WorkingMemoryService", transport);

  test(`${name}: what is set is read`, async () => {
    const agentId = randomUUID();
    // Large enough to be compressed in both directions.
    const valueJson = JSON.stringify("pack é ".repeat(1_000));
    const { revision } = await entries.setEntry({ agentId, key: "plan", content: { case: "valueJson", value: valueJson } });
    assert.equal(revision, 1n);
    const { found, entry } = await entries.getEntry({ agentId, key: "plan" });
    assert.equal(found, true);
    assert.equal(entry.valueJson, valueJson);
  });

  test(`${name}: an error has its code and its reason`, async () => {
    const call = client("NoteService", transport).getNote({ agentId: randomUUID(), noteId: "none" });
    const error = await call.catch(ConnectError.from);
    assert.equal(error.code, Code.NotFound);
    const [info] = error.findDetails(errorInfo);
    assert.match(info.reason, /^ERROR_REASON_/);
    assert.equal(info.domain, "memoryd");
  });

  test(`${name}: a deadline ends a call`, async () => {
    const request = { agentId: randomUUID(), limit: 1, leaseDuration: { seconds: 60n }, waitDuration: { seconds: 60n } };
    const call = client("FragmentService", transport).leaseFragments(request, { timeoutMs: 100 });
    assert.equal((await call.catch(ConnectError.from)).code, Code.DeadlineExceeded);
  });

  test(`${name}: a stream of responses goes on until it is cancelled`, async () => {
    const agentId = randomUUID();
    const events = client("EventService", transport);
    const end = new AbortController();
    const watch = events.watchEvents({ filters: [{ agentIds: [agentId] }] }, { signal: end.signal });
    const responses = watch[Symbol.asyncIterator]();
    assert.ok((await responses.next()).value.resumeToken);
    for (const key of ["one", "two"]) {
      await entries.setEntry({ agentId, key, content: { case: "valueJson", value: "1" } });
      const { value } = await responses.next();
      assert.deepEqual(value.events.map((event) => event.subject.value.key), [key]);
    }
    end.abort();
    const error = await responses.next().catch(ConnectError.from);
    assert.equal(error.code, Code.Canceled);
  });

  test(`${name}: a stream that fails ends with the error`, async () => {
    const watch = client("EventService", transport).watchEvents({ start: { case: "resumeToken", value: "no token" } });
    const error = await watch[Symbol.asyncIterator]().next().catch(ConnectError.from);
    assert.equal(error.code, Code.InvalidArgument);
    assert.equal(error.findDetails(errorInfo).length, 1);
  });

  test(`${name}: a stream of requests is one upload`, { skip: !uploads(name) }, async () => {
    const agentId = randomUUID();
    const text = "The night train leaves at ten.\n".repeat(10_000);
    async function* parts() {
      yield { part: { case: "header", value: { agentId, target: { case: "create", value: { title: "Trains" } } } } };
      const data = new TextEncoder().encode(text);
      for (let at = 0; at < data.length; at += 100_000) {
        yield { part: { case: "data", value: data.subarray(at, at + 100_000) } };
      }
    }
    const documents = client("DocumentService", transport);
    const { document } = await documents.uploadDocument(parts());
    const { document: found } = await documents.getDocument({ agentId, documentId: document.documentId });
    assert.equal(found.title, "Trains");
  });
}
