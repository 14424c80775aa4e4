import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "./until.js";

const command = process.env.MEMORYD_TEST_COMMAND;
if (process.env.CI === "true" && !command) {
  throw new Error("MEMORYD_TEST_COMMAND must be the command of the daemon for the tests that kill it");
}
const skip = command ? false : "MEMORYD_TEST_COMMAND names no command of a daemon";

/** A daemon of one test, with its own data, which may be killed and started again. */
export class OwnDaemon {
  #process: ChildProcess | undefined;

  private constructor(
    readonly address: string,
    readonly directory: string,
  ) {
    // A test that takes too long is not waited for.
    process.once("exit", this.#end);
  }

  static async create(): Promise<OwnDaemon> {
    const directory = await mkdtemp(join(tmpdir(), "memoryd-"));
    return new OwnDaemon(`127.0.0.1:${await freePort()}`, directory);
  }

  /** Starts the daemon, and waits until it listens. */
  async start(): Promise<void> {
    const flags = ["serve", "--embedder", "none", "--listen", this.address, "--data-dir", join(this.directory, "data")];
    this.#process = spawn(command ?? "", flags, { stdio: "ignore" });
    await until(async () => {
      if (this.#process?.exitCode !== null) {
        throw new Error(`the daemon ended with ${this.#process?.exitCode ?? "no process"}`);
      }
      return isListening(this.address);
    });
  }

  readonly #end = (): void => {
    this.#process?.kill("SIGKILL");
  };

  /** Ends the daemon with SIGKILL. */
  async kill(): Promise<void> {
    const ending = this.#process;
    if (ending?.exitCode === null && ending.signalCode === null) {
      const ended = once(ending, "exit");
      this.#end();
      await ended;
    }
  }

  /** Removes all that the daemon has stored. */
  async forget(): Promise<void> {
    await rm(join(this.directory, "data"), { recursive: true });
  }

  /** Ends the daemon, and removes its files. */
  async close(): Promise<void> {
    await this.kill();
    process.removeListener("exit", this.#end);
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Defines a test with a daemon of its own. */
export function killing(name: string, body: (daemon: OwnDaemon) => Promise<void>): void {
  test(name, { skip, timeout: 300_000 }, async () => {
    const daemon = await OwnDaemon.create();
    try {
      await daemon.start();
      await body(daemon);
    } finally {
      await daemon.close();
    }
  });
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function isListening(address: string): Promise<boolean> {
  const [host = "", port = ""] = address.split(":");
  const socket = net.connect(Number(port), host);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
