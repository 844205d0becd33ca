import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  type Comparison,
  type Pair,
  type Result,
  sample,
  takeTurns,
  toResult,
  type Work,
  warmUp,
} from "./compare.js";

/**
 * A comparison whose sides are programs that call {@link serveSide}. Each is started with the arguments and the name of its side,
 * `baseline` or `subject`.
 */
export interface ApartComparison extends Pick<Comparison, "name" | "unit" | "target" | "unitsPerCall"> {
  readonly baseline: URL;
  readonly subject: URL;
  readonly args: readonly string[];
}

/** The engine compiles a little differently in every process, so a figure comes from several of each side. */
const processes = 7;

/**
 * Times each side in processes of its own, in turn, round by round. Within one process the two would share what neither has alone: a
 * library's buffers and compiled code, and the garbage collector, which makes one side pay for what the other leaves behind.
 */
export async function compareApart(
  suite: string,
  comparison: ApartComparison,
  rounds: number,
): Promise<Result> {
  const pairs: Pair[] = [];
  for (let i = 0; i < processes; i++) {
    using baseline = await startSide(comparison.baseline, [...comparison.args, "baseline"]);
    using subject = await startSide(comparison.subject, [...comparison.args, "subject"]);
    pairs.push(...(await takeTurns(baseline.sample, subject.sample, Math.ceil(rounds / processes))));
  }
  return toResult(suite, comparison, pairs);
}

/** How a side is sampled; what is left out is as in {@link sample} and {@link warmUp}. */
export interface SideOptions {
  /** Awaited before every eight calls, and not timed. */
  readonly prepare?: () => Promise<void>;
  /** How long a sample takes at least, in milliseconds. Default 4. */
  readonly sampleMs?: number;
  readonly warmUpMs?: number;
}

/** In the process of a side: takes samples when asked. */
export async function serveSide(work: Work, options: SideOptions = {}): Promise<void> {
  const { prepare, sampleMs, warmUpMs } = options;
  await warmUp(work, warmUpMs, prepare);
  process.on("message", async () => process.send?.(await sample(work, sampleMs, prepare)));
  // Clients and servers that are open would keep it alive.
  process.on("disconnect", () => process.exit());
  process.send?.("ready");
}

interface Side extends Disposable {
  readonly sample: () => Promise<number>;
}

async function startSide(program: URL, args: readonly string[]): Promise<Side> {
  const child = fork(fileURLToPath(program), args);
  await once(child, "message");
  return {
    async sample() {
      child.send("sample");
      return (await once(child, "message"))[0] as number;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
