import { randomUUID } from "node:crypto";
import { AgentService } from "#protos/memoryd/v1/agent_service_pb";
import type { Agent } from "./agent.js";
import type { Client } from "./client.js";
import { connect, type ConnectOptions } from "./connect.js";
import { DaemonProcess } from "./daemon-process.js";
import { MemorydError } from "./errors.js";

export { DaemonFailed } from "./daemon-process.js";

const ADDRESS = "MEMORYD_TEST_ADDRESS";

/**
 * Starts a daemon for tests. `flags` are further ones of `memoryd serve`.
 *
 * The daemon is the command that `MEMORYD_TEST_COMMAND` names, else `memoryd` in PATH. It keeps nothing, listens on a
 * free port of this machine, and takes no settings from the environment. If `MEMORYD_TEST_ADDRESS` is set, no daemon is
 * started: the one at that address is used, and `flags` are ignored.
 *
 * @throws DaemonFailed if the daemon does not start.
 */
export async function startDaemon(...flags: string[]): Promise<TestDaemon> {
  const address = process.env[ADDRESS];
  return address ? new TestDaemon(address, undefined) : TestDaemon.of(await DaemonProcess.start(flags));
}

/** A running daemon, with clients and agents for tests. Stop it, or declare it with `await using`. */
export class TestDaemon implements AsyncDisposable {
  readonly #process: DaemonProcess | undefined;
  readonly #clients: Client[] = [];
  readonly #borrowed: { client: Client; agentId: string }[] = [];

  /** @internal */
  constructor(
    /** The address, as `connect` takes it. */
    readonly address: string,
    process: DaemonProcess | undefined,
  ) {
    this.#process = process;
  }

  /** @internal */
  static of(process: DaemonProcess): TestDaemon {
    return new TestDaemon(process.address, process);
  }

  /** Returns a client of the daemon, which is closed with it. */
  newClient(options: Omit<ConnectOptions, "target"> = {}): Client {
    const client = connect({ ...options, target: this.address });
    this.#clients.push(client);
    return client;
  }

  /**
   * Returns an agent that no other test uses, of a client of its own. In the daemon at `MEMORYD_TEST_ADDRESS`, it is
   * erased by {@link stop}.
   */
  newAgent(options: Omit<ConnectOptions, "target"> = {}): Agent {
    const client = this.newClient(options);
    const agentId = `test-${randomUUID()}`;
    if (!this.#process) {
      this.#borrowed.push({ client, agentId });
    }
    return client.agent(agentId);
  }

  /** Closes all clients, and ends the daemon if it was started here. A second call does nothing. */
  async stop(): Promise<void> {
    for (const { client, agentId } of this.#borrowed.splice(0)) {
      await erase(client, agentId);
    }
    for (const client of this.#clients.splice(0)) {
      client.close();
    }
    await this.#process?.stop();
  }

  /** Stops the daemon. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Erases an agent, unless the test has closed its client or ended the daemon. */
async function erase(client: Client, agentId: string): Promise<void> {
  try {
    await client.stub(AgentService).endAgent({ agentId, erase: true });
  } catch (error) {
    if (!(error instanceof MemorydError)) {
      throw error;
    }
  }
}
