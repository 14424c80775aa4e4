import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../src/connect.js";
import { InvalidTarget } from "../../src/errors.js";
import { addressOf, DEFAULT_TARGET, targetOf, tlsMaterialOf, tokenOf } from "../../src/target.js";

test("an argument takes precedence over the environment, and that over the default", () => {
  const environment = { MEMORYD_ADDRESS: "there:1", MEMORYD_TOKEN: "secret" };
  assert.equal(targetOf("here:1", environment), "here:1");
  assert.equal(targetOf(undefined, environment), "there:1");
  assert.equal(targetOf(undefined, {}), DEFAULT_TARGET);
  assert.equal(tokenOf("mine", environment), "mine");
  assert.equal(tokenOf(undefined, environment), "secret");
  assert.equal(tokenOf(undefined, { MEMORYD_TOKEN: "" }), undefined);
});

test("a target is a host and a port, or a socket", () => {
  assert.deepEqual(addressOf("127.0.0.1:7600"), { host: "127.0.0.1", port: 7600 });
  assert.deepEqual(addressOf("memory.example:65535"), { host: "memory.example", port: 65535 });
  assert.deepEqual(addressOf("[::1]:7600"), { host: "::1", port: 7600 });
  assert.deepEqual(addressOf("unix:/run/memoryd.sock"), { path: "/run/memoryd.sock" });
  assert.deepEqual(addressOf("unix:///run/memoryd.sock"), { path: "/run/memoryd.sock" });
});

const nonsense = ["", "nowhere", ":7600", "host:", "host:0", "host:65536", "host:1x", "::1:7600", "unix:", "unix://"];

for (const target of [...nonsense, "http://host:1", "host:-1", "[]:1"]) {
  test(`${JSON.stringify(target)} is an invalid target`, () => {
    assert.throws(() => addressOf(target), InvalidTarget);
  });
}

test("connecting to an invalid target fails at once", () => {
  assert.throws(() => connect({ target: "nowhere" }), InvalidTarget);
});

for (const target of ["memory.example:1", "10.0.0.1:1", "[::2]:1", "127.0.0.1.example:1", "0.0.0.0:1"]) {
  test(`a token is sent to ${target} only by TLS or on request`, () => {
    const refused = { name: "InvalidTarget", message: /would be sent to .+ in the clear: use TLS, or allow/ };
    assert.throws(() => connect({ target, token: "secret" }), refused);
    connect({ target, token: "secret", tls: true }).close();
    connect({ target, token: "secret", insecureToken: true }).close();
    connect({ target }).close();
  });
}

for (const target of ["127.0.0.1:1", "127.8.8.8:1", "localhost:1", "LOCALHOST:1", "[::1]:1", "unix:/run/m.sock"]) {
  test(`a token may be sent to ${target}, which is this machine`, () => {
    connect({ target, token: "secret" }).close();
  });
}

test("a TLS file that cannot be read fails at once", () => {
  assert.throws(() => tlsMaterialOf({ caFile: "/nothing/there.pem" }), InvalidTarget);
});

test("a client certificate without its key fails at once", () => {
  assert.throws(() => tlsMaterialOf({ certFile: "client.pem" }), InvalidTarget);
});
