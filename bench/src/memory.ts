import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Result, spread } from "./compare.js";

const run = promisify(execFile);
const rounds = 3;

/** What queued messages cost in resident memory, measured in processes of their own. */
export async function memoryResults(): Promise<Result[]> {
  return [
    {
      suite: "memory",
      name: "RSS of 100,000 queued messages of 1 KB JSON and the process, over their bytes",
      ...(await measure("memory-probe")),
      target: 2.5,
      bound: "at-most",
    },
    {
      suite: "memory",
      name: "RSS per queued message of 1 KB, over its bytes on the wire",
      ...(await measure("queued-probe")),
      target: 1.5,
      bound: "at-most",
    },
  ];
}

async function measure(probe: string) {
  const path = fileURLToPath(new URL(`./${probe}.js`, import.meta.url));
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { stdout } = await run(process.execPath, ["--expose-gc", path]);
    ratios.push(Number(stdout));
  }
  return spread(ratios);
}
