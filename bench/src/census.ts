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
    result("MB of heap it adds from its 10,000th to its 100,000th message", growth("heap"), 2),
    result("MB of RSS, without mapped files, it adds from there to there", growth("resident"), 8),
  ];
}

function grownMegabytes(samples: readonly number[]): number {
  return (Math.max(...samples) - samples[0]!) / 1e6;
}
