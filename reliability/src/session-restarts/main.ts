import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { nodeCommand } from "waybill-harness/supervised-process.js";
import { openScratch } from "waybill-harness/waiting.js";
import { Ledger } from "../ledger/ledger.js";
import { conclude } from "../ledger/verdict.js";
import { Generations } from "../supervisor/generations.js";
import { sessionIds, stepsOf } from "./workflow.js";

// A workflow over sessions with typed state, on a durable broker, in a process that is killed with `kill -9` again and again. In the end
// the state of every session must be exact: each message counted once, in order. Exits with 1 on any difference.

const { kills, seed } = readOptions({ kills: 200, seed: newSeed() });
const random = randomFrom(seed);
using root = openScratch("restarts");
const program = new URL("./worker.js", import.meta.url);
const ledger = new Ledger();
const generations = new Generations(root.path, ledger, (generation, journal) =>
  nodeCommand(program, [
    root.path,
    journal,
    firstUnsent(),
    generation,
    generation === kills ? "last" : "killed",
  ]),
);
console.log(`session restarts: ${kills} kills, seed ${seed}`);
for (let generation = 0; generation < kills; generation++) await generations.runAndKill(generation, random);
const code = await generations.runToEnd(kills, 300_000);
for (const line of ledger.summary()) console.log(line);
const steps = stepsOf("session-0", 0).length * (kills + 1);
console.log(
  `${kills} restarts, ${sessionIds.length} sessions of ${steps} messages, ${ledger.count("again")} delivered again after a kill`,
);
const violations = generations.violations();
if (code !== 0) violations.push(`the last process ended with ${code}`);
if (ledger.checks === 0) violations.push("no result was checked");
conclude(violations, "Every result is exact", seed);

/** The first generation of whose messages nobody has acknowledged all. */
function firstUnsent(): number {
  let generation = 0;
  while (ledger.acknowledged(`generation ${generation}`) > 0) generation++;
  return generation;
}
