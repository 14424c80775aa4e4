import { drive } from "./drive.js";
import { playFiles } from "./scenarios.js";

const USAGE = "usage: main.js scenarios ADDRESS FILE... | main.js drive";

async function main([command, ...rest]: string[]): Promise<number> {
  const [address, ...files] = rest;
  if (command === "scenarios" && address !== undefined && files.length > 0) {
    return (await playFiles(address, files)) ? 0 : 1;
  }
  if (command === "drive" && address === undefined) {
    await drive(process.stdin, process.stdout);
    return 0;
  }
  console.error(USAGE);
  return 2;
}

process.exitCode = await main(process.argv.slice(2));
