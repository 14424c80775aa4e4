import { MemorydError, type Client } from "memoryd";
import { difference } from "./compare.js";
import { RawWatch } from "./raw-watch.js";
import { titleOf, type Step } from "./step.js";
import { call, expectError } from "./stubs.js";
import { partAt, type Variables } from "./variables.js";

type StepOf<K extends Step["kind"]> = Extract<Step, { kind: K }>;

/** Plays a scenario over the generated stubs. */
export class Scenario implements Disposable {
  readonly #client: Client;
  readonly #watches = new Map<string, RawWatch>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Plays the steps in order. Throws an Error that names the first step that failed. */
  async play(steps: readonly Step[], variables: Variables): Promise<void> {
    for (const [index, step] of steps.entries()) {
      try {
        await this.#step(step, variables);
      } catch (error) {
        throw new Error(`step ${index + 1}, ${titleOf(step)}: ${whyOf(error)}`, { cause: error });
      }
    }
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches.values()) {
      watch.close();
    }
  }

  async #step(step: Step, variables: Variables): Promise<void> {
    switch (step.kind) {
      case "call":
        return this.#call(step, variables);
      case "watch":
        return this.#watch(step, variables);
      case "events":
        return this.#events(step, variables);
      case "repeat":
        for (let n = 0; n < step.count; n++) {
          variables.set("n", n.toString());
          await this.play(step.steps, variables);
        }
        return;
      case "tasks":
        return this.#tasks(step, variables);
    }
  }

  async #tasks(step: StepOf<"tasks" | "repeat">, variables: Variables): Promise<void> {
    const tasks = Array.from({ length: step.count }, (_, task) =>
      this.play(step.steps, variables.with("task", task.toString())),
    );
    // Let all of them end before the first failure is thrown.
    await Promise.allSettled(tasks);
    await Promise.all(tasks);
  }

  async #call(step: StepOf<"call">, variables: Variables): Promise<void> {
    const calling = call(this.#client, step.name, variables.fill(step.request));
    if (step.error) {
      await expectError(calling, variables.fill(step.error));
      return;
    }
    const answer = await calling;
    if (step.response !== undefined) {
      check(difference(variables.fill(step.response), answer));
    }
    for (const [name, path] of Object.entries(step.save)) {
      variables.set(name, partAt(answer, path));
    }
  }

  async #watch(step: StepOf<"watch">, variables: Variables): Promise<void> {
    const watch = new RawWatch(this.#client, variables.fill(step.request));
    this.#watches.get(step.name)?.close();
    this.#watches.set(step.name, watch);
    await (step.error ? expectError(watch.open(), variables.fill(step.error)) : watch.open());
  }

  async #events(step: StepOf<"events">, variables: Variables): Promise<void> {
    const watch = this.#watches.get(step.name);
    if (!watch) {
      throw new Error("there is no such watch");
    }
    check(difference(variables.fill(step.expect), await watch.take(step.expect.length)));
  }
}

function whyOf(error: unknown): string {
  return error instanceof MemorydError ? String(error) : (error as Error).message;
}

function check(found: string | undefined): void {
  if (found !== undefined) {
    throw new Error(found);
  }
}
