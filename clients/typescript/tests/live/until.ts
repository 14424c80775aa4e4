import { setImmediate as turn } from "node:timers/promises";

/** Waits until a condition is met. The time limit of the test ends the wait. */
export async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isMet())) {
    await turn();
  }
}
