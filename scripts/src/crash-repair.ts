import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { randomFrom } from "./crash/random.js";

// Repairs the dead-letter queues of a durable broker in a process that is killed with `kill -9` again and again, at random points, and counts what
// arrived: every message, none twice where the queue detects duplicates, and elsewhere only those twice that the repair itself names.

const { values: args } = parseArgs({
  options: {
    messages: { type: "string", default: "10000" },
    kills: { type: "string", default: "20" },
    seed: { type: "string" },
  },
});
const messages = Number(args.messages);
const kills = Number(args.kills);
const seed = Number(args.seed ?? Date.now() % 2 ** 31);
const random = randomFrom(seed);
const root = mkdtempSync(join(tmpdir(), "waybill-crash-repair-"));
const startedAt = Date.now();
console.log(`crash-repair: ${messages} messages in each of two queues, ${kills} kills, seed ${seed}`);

/** Every other life begins with the other queue, so that both are interrupted. */
const queues = ["plain", "deduplicating"] as const;

interface Report {
  readonly resubmitted: number;
  readonly resumed: number;
  readonly possibleDuplicates: readonly string[];
}

interface Count {
  readonly queue: string;
  readonly left: number;
  readonly missing: number;
  readonly twice: readonly string[];
}

try {
  await run("fill");
  // How far each life gets is left to chance: a kill hits the start, the sending, the noting or the removal.
  for (let life = 0; life < kills; life++) await run("repair", random(300), queues[life % 2]);
  const reports = (await run("repair")) as Record<string, Report>;
  const counts = (await run("count")) as Count[];
  for (const [queue, { resubmitted, resumed }] of Object.entries(reports))
    console.log(
      `${queue}: the last life sent ${resubmitted} and removed ${resumed} that an earlier one had sent`,
    );
  let isExact = true;
  for (const { queue, left, missing, twice } of counts) {
    const named = new Set(reports[queue]?.possibleDuplicates);
    const unnamed = twice.filter((number) => !named.has(number));
    isExact &&=
      left === 0 &&
      missing === 0 &&
      unnamed.length === 0 &&
      (queue !== "deduplicating" || twice.length === 0);
    console.log(
      `${queue}: ${left} left, ${missing} missing, ${twice.length} twice, ${unnamed.length} of them not named; ${named.size} named`,
    );
  }
  console.log(
    `${isExact ? "Each message was delivered" : `Not as it should be, seed ${seed}`}, ${Math.round((Date.now() - startedAt) / 1000)} s`,
  );
  process.exitCode = isExact ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** Runs one step in a process of its own; with a time, that long after it began to work it is killed. */
async function run(
  step: "fill" | "repair" | "count",
  killAfterMs?: number,
  first: string = queues[0],
): Promise<unknown> {
  const program = fileURLToPath(new URL("./crash-repair/life.js", import.meta.url));
  const child = spawn(process.execPath, [program, step, root, String(messages), first], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let result: unknown;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "working" && killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    else if (line !== "working") result = JSON.parse(line);
  }
  const code = await exit;
  if (code !== 0 && killAfterMs === undefined) throw new Error(`${step} ended with ${code}`);
  return result;
}
