import { setTimeout as sleep } from "node:timers/promises";
import type { Watch } from "memoryd";
import { EventTypeSchema, type Event } from "memoryd/v1";

interface EventRecord {
  revision: number;
  index: number;
  type: string;
  key: string;
}

/** Collects the events of a watch in the background. */
export class WatchLog {
  readonly #watch: Watch;
  readonly #events: EventRecord[] = [];
  readonly #ended: Promise<void>;
  #heard: () => void = () => undefined;

  constructor(watch: Watch) {
    this.#watch = watch;
    this.#ended = this.#listen();
    // The next call of waitFor throws the failure; until then it must not count as unhandled.
    this.#ended.catch(() => undefined);
  }

  /**
   * Waits until `count` events were received since the beginning, or the timeout has passed. Throws the error of a
   * watch that failed.
   */
  async waitFor(count: number, timeoutMs: number): Promise<object> {
    const over = sleep(timeoutMs, undefined, { ref: false });
    await Promise.race([this.#ended, this.#reached(count), over]);
    return { events: this.#events, resumes: this.#watch.resumes, resume_token: this.#watch.resumeToken };
  }

  close(): void {
    this.#watch.close();
  }

  #reached(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = () => {
        if (this.#events.length >= count) {
          resolve();
        }
      };
      this.#heard();
    });
  }

  async #listen(): Promise<void> {
    for await (const event of this.#watch) {
      this.#events.push(recordOf(event));
      this.#heard();
    }
  }
}

function recordOf({ revision, index, type, subject }: Event): EventRecord {
  const key = subject.case === "entry" ? subject.value.key : "";
  return { revision: Number(revision), index, type: EventTypeSchema.value[type].name, key };
}
