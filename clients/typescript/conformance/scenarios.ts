import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { connect, type Client } from "memoryd";
import * as page from "memoryd/browser";
import { Scenario } from "./scenario.js";
import { stepsOf } from "./step.js";
import { Variables } from "./variables.js";
import { wrapped } from "./wrapped.js";
import { parseYaml } from "./yaml.js";

/** Plays each file, prints a line for each, and returns whether all have passed. */
export async function playFiles(address: string, files: readonly string[]): Promise<boolean> {
  let allPassed = true;
  for (const file of files) {
    try {
      await playFile(address, file);
      console.log(JSON.stringify({ file, passed: true }));
    } catch (error) {
      allPassed = false;
      console.log(JSON.stringify({ file, passed: false, why: error instanceof Error ? error.message : String(error) }));
    }
  }
  const calls = Array.from(wrapped.values()).reduce((sum, each) => sum + each, 0);
  console.error(`calls with the wrappers of ${wrapped.size} methods: ${calls}`);
  return allPassed;
}

/** Returns a client: that of web pages if `MEMORYD_CONFORMANCE_LINK` is "fetch". */
function clientOf(address: string): Client {
  const isPage = process.env.MEMORYD_CONFORMANCE_LINK === "fetch";
  return isPage ? page.connect({ target: `http://${address}` }) : connect({ target: address });
}

async function playFile(address: string, file: string): Promise<void> {
  const steps = stepsOf(parseYaml(await readFile(file, "utf8")));
  using client = clientOf(address);
  using scenario = new Scenario(client);
  await scenario.play(
    steps,
    new Variables([
      ["agent", randomUUID()],
      ["other", randomUUID()],
    ]),
  );
}
