import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Result, spread } from "./compare.js";
import { chooseParts } from "./parts.js";

const run = promisify(execFile);
const suite = "memory";
const rounds = 3;

/** What queued messages cost in resident memory, measured in processes of their own. One part of it, or all. */
export async function memoryResults(part?: string): Promise<Result[]> {
  const parts = {
    process: () =>
      measure(
        "memory-probe",
        "RSS of 100,000 queued messages of 1 KB JSON and the process, over their bytes",
        2.5,
      ),
    queued: () => measure("queued-probe", "RSS per queued message of 1 KB, over its bytes on the wire", 1.5),
  };
  const results: Result[] = [];
  for (const measurePart of chooseParts(suite, parts, part)) results.push(await measurePart());
  return results;
}

async function measure(probe: string, name: string, target: number): Promise<Result> {
  console.error(`${suite}: ${name}`);
  const path = fileURLToPath(new URL(`./${probe}.js`, import.meta.url));
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { stdout } = await run(process.execPath, ["--expose-gc", path]);
    ratios.push(Number(stdout));
  }
  return { suite, name, ...spread(ratios), target, bound: "at-most" };
}
