import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startDaemon } from "memoryd/testing";

const daemon = await startDaemon("--embedder", "none");
afterAll(() => daemon.stop());

/** Runs a sample as a user does, and returns the lines that it prints. */
async function linesOf(name: string): Promise<string[]> {
  const env = { ...process.env, MEMORYD_ADDRESS: daemon.address };
  const { stdout } = await promisify(execFile)(process.execPath, [`build/samples/${name}.js`], { env });
  return stdout.trim().split("\n");
}

it("an agent of LangGraph continues its conversations, and knows its user in all of them", async () => {
  const expected = [
    "monday: Message 1. You drink tea.",
    "monday: Message 3. You drink tea.",
    "tuesday: Message 1. You drink tea.",
  ];
  expect(await linesOf("langgraph-agent")).toEqual(expected);
});

it("a model of the AI SDK knows in one conversation what was said in another", async () => {
  const expected = [
    "monday: I do not know.",
    "monday: You live in Lisbon.",
    "tuesday: You live in Lisbon.",
    "stored: To which city did I move?",
    "stored: You live in Lisbon.",
  ];
  expect(await linesOf("ai-sdk-chat")).toEqual(expected);
});
