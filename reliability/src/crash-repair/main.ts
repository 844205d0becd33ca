import { join } from "node:path";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { openScratch } from "waybill-harness/waiting.js";
import { readJournal } from "../ledger/journal.js";
import { Ledger } from "../ledger/ledger.js";
import { conclude } from "../ledger/verdict.js";

// Repairs the dead-letter queues of a durable broker in a process that is killed with `kill -9` again and again, at random points, and counts what
// arrived: every message, none twice if the queue detects duplicates, and otherwise only those twice that the repair itself names.

const { messages, kills, seed } = readOptions({ messages: 10_000, kills: 20, seed: newSeed() });
const random = randomFrom(seed);
console.log(`crash-repair: ${messages} messages in each of two queues, ${kills} kills, seed ${seed}`);

/** Every second process begins with the other queue, so that both are interrupted. */
const queues = ["plain", "deduplicating"] as const;

interface Report {
  readonly resubmitted: number;
  readonly resumed: number;
  readonly possibleDuplicates: readonly string[];
}

using root = openScratch("crash-repair");
await run("fill");
// Kills come at random: during the start, the sending, the writing of receipts or the removal.
for (let life = 0; life < kills; life++) await run("repair", random(300), queues[life % 2]);
const reports = (await run("repair")) as Record<string, Report>;
await run("count");
for (const [queue, { resubmitted, resumed, possibleDuplicates }] of Object.entries(reports))
  console.log(
    `${queue}: the last process sent ${resubmitted} messages and removed ${resumed} that an earlier one had sent; ${possibleDuplicates.length} possible duplicates`,
  );
const named = new Set(reports.plain?.possibleDuplicates.map((id) => `plain/${id}`));
const ledger = new Ledger({ mayRepeat: (thing) => named.has(thing) });
ledger.read(readJournal(join(root.path, "journal")));
for (const line of ledger.summary()) console.log(line);
conclude(ledger.violations(), "Each message was delivered", seed);

/** Runs one step in a separate process; with a time, kills it that long after it began to work. Resolves with its report. */
async function run(
  step: "fill" | "repair" | "count",
  killAfterMs?: number,
  first: string = queues[0],
): Promise<unknown> {
  const program = new URL("./life.js", import.meta.url);
  const command = nodeCommand(program, [step, root.path, messages, first]);
  const child = new SupervisedProcess({ command, isReadyLine: (line) => line === "working" });
  if (killAfterMs === undefined) {
    const code = await child.exit;
    if (code !== 0) throw new Error(`${step} ended with ${code}`);
    return JSON.parse(child.stdout.at(-1) ?? "null");
  }
  // A repair that finishes earlier exits by itself.
  await child.killAfter("ready", killAfterMs);
  return undefined;
}
