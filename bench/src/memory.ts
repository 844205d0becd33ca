import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Result, spread } from "./compare.js";

const run = promisify(execFile);
const probe = fileURLToPath(new URL("./memory-probe.js", import.meta.url));

/** What queued messages cost in resident memory, measured in processes of their own. */
export async function memoryResults(): Promise<Result[]> {
  const ratios: number[] = [];
  for (let i = 0; i < 3; i++) {
    const { stdout } = await run(process.execPath, ["--expose-gc", probe]);
    ratios.push(Number(stdout));
  }
  return [
    {
      suite: "memory",
      name: "RSS of 100,000 queued messages of 1 KB, over their bytes",
      ...spread(ratios),
      target: 2.5,
      bound: "at-most",
    },
  ];
}
