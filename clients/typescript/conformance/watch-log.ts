import { setTimeout as sleep } from "node:timers/promises";
import type { Watch } from "memoryd";
import { EventTypeSchema, type Event } from "memoryd/v1";

interface Told {
  revision: number;
  index: number;
  type: string;
  key: string;
}

/** A watch that is read in the background, and all that it has told. */
export class WatchLog {
  readonly #watch: Watch;
  readonly #events: Told[] = [];
  readonly #ended: Promise<void>;
  #heard: () => void = () => undefined;

  constructor(watch: Watch) {
    this.#watch = watch;
    this.#ended = this.#listen();
    // A failure is told to who asks next.
    this.#ended.catch(() => undefined);
  }

  /** Waits for so many events since the beginning, at most for so long. Throws the error of a watch that failed. */
  async told(count: number, timeoutMs: number): Promise<object> {
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
      this.#events.push(toldOf(event));
      this.#heard();
    }
  }
}

function toldOf({ revision, index, type, key }: Event): Told {
  return { revision: Number(revision), index, type: EventTypeSchema.value[type].name, key };
}
