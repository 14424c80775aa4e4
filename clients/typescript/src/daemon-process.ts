import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const COMMAND = "MEMORYD_TEST_COMMAND";
const START_MS_MAX = 60_000;
const STOP_MS_MAX = 30_000;
const LOG_LINES_MAX = 200;

/** A daemon for tests did not start. The message says why, and has what it logged. */
export class DaemonFailed extends Error {
  override readonly name = "DaemonFailed";
}

type Child = ChildProcessByStdio<null, null, Readable>;

/** A daemon as a process of its own. It also ends with this process. */
export class DaemonProcess {
  readonly #child: Child;
  readonly #directory: string;
  readonly #log: string[] = [];
  readonly #kill: () => void;
  /** The address that the daemon serves. */
  address = "";

  private constructor(child: Child, directory: string) {
    this.#child = child;
    this.#directory = directory;
    this.#kill = () => child.kill("SIGKILL");
    process.once("exit", this.#kill);
  }

  /**
   * Starts the command with further flags, and waits until it serves.
   *
   * @throws DaemonFailed if it does not start.
   */
  static async start(flags: readonly string[]): Promise<DaemonProcess> {
    const command = process.env[COMMAND] || "memoryd";
    const directory = mkdtempSync(join(tmpdir(), "memoryd-"));
    const own = ["--listen", "127.0.0.1:0", "--durability", "memory", "--log-level", "info", "--log-format", "json"];
    const child = spawn(command, ["serve", ...own, "--data-dir", join(directory, "data"), ...flags], {
      env: environment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    const daemon = new DaemonProcess(child, directory);
    try {
      daemon.address = await daemon.#serving();
    } catch (cause) {
      await daemon.stop();
      throw cause instanceof DaemonFailed
        ? cause
        : new DaemonFailed(`${command} cannot be run: install memoryd-server, or set ${COMMAND}`, { cause });
    }
    return daemon;
  }

  /** Ends the daemon, and deletes its directory. A second call does nothing. */
  async stop(): Promise<void> {
    process.removeListener("exit", this.#kill);
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      const timer = setTimeout(this.#kill, STOP_MS_MAX);
      this.#child.kill("SIGTERM");
      await once(this.#child, "exit");
      clearTimeout(timer);
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Reads the log, and resolves to the address that the daemon serves. */
  async #serving(): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        reject(new DaemonFailed(`${why}:\n${this.#log.join("\n")}`));
      };
      const timer = setTimeout(() => {
        fail("the daemon did not start in time");
      }, START_MS_MAX);
      this.#child.once("error", reject);
      // Read to its end: a daemon whose pipe is full would stop.
      const lines = createInterface({ input: this.#child.stderr });
      lines.on("line", (line) => {
        this.#log.push(line);
        this.#log.splice(0, this.#log.length - LOG_LINES_MAX);
        const address = addressOf(line);
        if (address !== undefined) {
          clearTimeout(timer);
          resolve(address);
        }
      });
      lines.once("close", () => {
        clearTimeout(timer);
        fail("the daemon ended");
      });
    });
  }
}

/** Returns the address that the daemon serves if a line of its log says so. */
export function addressOf(line: string): string | undefined {
  try {
    const record = JSON.parse(line) as { message?: unknown; listen?: unknown } | null;
    return record?.message === "serving" && typeof record.listen === "string" ? record.listen : undefined;
  } catch {
    return undefined;
  }
}

/** Returns this process's environment without the settings of memoryd. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("MEMORYD_")));
}
