import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Result, spread } from "./compare.js";

const run = promisify(execFile);
const rounds = 3;

interface Probe {
  readonly seconds: number;
  /** Bytes above what there was before, after every 10,000 messages. */
  readonly heap: readonly number[];
  readonly resident: readonly number[];
}

/** What a census of a long durable queue takes: its time, and whether its memory grows with the queue. */
export async function censusResults(): Promise<Result[]> {
  const path = fileURLToPath(new URL("./census-probe.js", import.meta.url));
  const probes: Probe[] = [];
  for (let round = 0; round < rounds; round++) {
    const { stdout } = await run(process.execPath, ["--expose-gc", path]);
    probes.push(JSON.parse(stdout) as Probe);
  }
  const result = (name: string, figures: readonly number[], target: number): Result => ({
    suite: "census",
    name,
    ...spread(figures),
    target,
    bound: "at-most",
  });
  const growth = (figure: "heap" | "resident") => probes.map((probe) => grownMegabytes(probe[figure]));
  return [
    result(
      "seconds for a census of 100,000 mixed messages of 1 KB",
      probes.map(({ seconds }) => seconds),
      60,
    ),
    result("MB by which its heap grows from the 10,000th to the 100,000th message", growth("heap"), 2),
    result("MB by which its RSS without mapped files grows from there to there", growth("resident"), 8),
  ];
}

/** The largest rise from any sample to a later one, so that a high start hides nothing. */
function grownMegabytes(samples: readonly number[]): number {
  return Math.max(...samples.map((low, index) => Math.max(...samples.slice(index)) - low)) / 1e6;
}
