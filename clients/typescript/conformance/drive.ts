import { createInterface } from "node:readline";
import { Json, MemorydError } from "memoryd";
import { Driver } from "./driver.js";
import type { Command } from "./command.js";

/** Runs the commands of the input, each a line of JSON, and writes their replies in order, until the input ends. */
export async function drive(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<void> {
  using driver = new Driver();
  for await (const line of createInterface({ input })) {
    output.write(`${Json.stringify(await replyTo(driver, line))}\n`);
  }
}

async function replyTo(driver: Driver, line: string): Promise<object> {
  try {
    return { result: await driver.do(JSON.parse(line) as Command) };
  } catch (error) {
    console.error(error);
    return { error: described(error) };
  }
}

function described(error: unknown): object {
  if (error instanceof MemorydError) {
    const { name: type, code = "", reason, message } = error;
    return { type, code, reason, message };
  }
  return { type: "Other", code: "", reason: "", message: String(error) };
}
