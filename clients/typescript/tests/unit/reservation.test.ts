import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import type { ConnectRouter } from "@connectrpc/connect";
import { Cancelled } from "../../src/errors.js";
import {
  ReserveOutcome,
  WorkingMemoryService,
  type ReleaseReservationRequest,
  type RenewReservationRequest,
  type ReserveEntryRequest,
  type SetEntryRequest,
} from "../../src/v1.js";
import { FakeDaemon } from "./fake-daemon.js";

/** The requests of each method that a daemon received which grants every reservation. */
class Granted {
  readonly reserves: ReserveEntryRequest[] = [];
  readonly renewals: RenewReservationRequest[] = [];
  readonly sets: SetEntryRequest[] = [];
  readonly releases: ReleaseReservationRequest[] = [];

  readonly routes = (router: ConnectRouter): void => {
    const { method } = WorkingMemoryService;
    router.rpc(method.reserveEntry, (request) => {
      this.reserves.push(request);
      return { outcome: ReserveOutcome.RESERVED, reservationToken: "token" };
    });
    router.rpc(method.renewReservation, (request) => {
      this.renewals.push(request);
      return {};
    });
    router.rpc(method.setEntry, (request) => {
      this.sets.push(request);
      return {};
    });
    router.rpc(method.releaseReservation, (request) => {
      this.releases.push(request);
      return {};
    });
  };
}

test("a reservation is requested, renewed and used", async () => {
  const granted = new Granted();
  await using daemon = await FakeDaemon.routes(granted.routes);
  const untilRenewed = async (): Promise<number> => {
    while (granted.renewals.length === 0) {
      await sleep(1);
    }
    return 7;
  };
  const options = { leaseMs: 300, waitMs: 0, localOnly: true, userId: "ann" };
  const value = await daemon.client.agent("a").attach("s").getOrSet("k", untilRenewed, options);
  assert.equal(value, 7);
  const place = ["a", "s", "k"];
  const [reserved] = granted.reserves;
  assert.deepEqual([reserved?.agentId, reserved?.scopeId, reserved?.key], place);
  assert.deepEqual([reserved?.localOnly, reserved?.leaseDuration?.nanos], [true, 300_000_000]);
  assert.deepEqual([reserved?.waitDuration?.seconds, reserved?.waitDuration?.nanos], [0n, 0]);
  const [renewed] = granted.renewals;
  assert.deepEqual([renewed?.agentId, renewed?.scopeId, renewed?.key], place);
  assert.deepEqual([renewed?.reservationToken, renewed?.leaseDuration?.nanos], ["token", 300_000_000]);
  assert.notEqual(renewed?.requestId, "");
  assert.deepEqual(
    granted.sets.map(({ reservationToken, userId }) => [reservationToken, userId]),
    [["token", "ann"]],
  );
  assert.deepEqual(granted.releases, []);
});

test("a reservation whose factory fails is released", async () => {
  const granted = new Granted();
  await using daemon = await FakeDaemon.routes(granted.routes);
  const failure = new Error("no");
  const making = daemon.client
    .agent("a")
    .attach("s")
    .getOrSet("k", () => Promise.reject(failure));
  await assert.rejects(making, failure);
  assert.deepEqual(
    granted.releases.map(({ agentId, scopeId, key, reservationToken }) => [agentId, scopeId, key, reservationToken]),
    [["a", "s", "k", "token"]],
  );
  assert.notEqual(granted.releases[0]?.requestId, "");
  assert.deepEqual(granted.sets, []);
});

test("the signal of the factory is aborted with the call", async () => {
  const granted = new Granted();
  await using daemon = await FakeDaemon.routes(granted.routes);
  const caller = new AbortController();
  let aborted: unknown;
  const making = daemon.client.agent("a").getOrSet(
    "k",
    (signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted = signal.reason;
          resolve(1);
        });
        caller.abort("enough");
      }),
    { signal: caller.signal },
  );
  await assert.rejects(making, Cancelled);
  assert.equal(aborted, "enough");
  assert.deepEqual(granted.sets, []);
});
