import { statSync } from "node:fs";
import { join } from "node:path";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { nodeCommand } from "waybill-harness/supervised-process.js";
import { openScratch } from "waybill-harness/waiting.js";
import { Ledger } from "../ledger/ledger.js";
import { conclude } from "../ledger/verdict.js";
import { Generations } from "../supervisor/generations.js";
import { damageStore } from "./damage.js";

// Kills a process that works on a durable broker with `kill -9` at random points, again and again on the same store, and compares
// what each next process finds with what the ones before had acknowledged. Then damages the store. Exits with 1 on any difference.

const { kills, damages, seed } = readOptions({ kills: 60, damages: 200, seed: newSeed() });
const random = randomFrom(seed);
console.log(`crash: ${kills} kills, seed ${seed}`);

using root = openScratch("crash");
const store = join(root.path, "store");
const program = new URL("./load.js", import.meta.url);
const ledger = new Ledger();
const generations = new Generations(root.path, ledger, (generation, journal) =>
  nodeCommand(program, [store, journal, random(2 ** 31), generation]),
);
for (let generation = 0; generation < kills && generations.violations().length === 0; generation++)
  await generations.runAndKill(generation, random, 500);
if (process.platform === "linux") await fillDisk(kills);
await generations.runAndKillAt(kills + 1, "ready", 0);
for (const line of ledger.summary()) console.log(line);
const report = await damageStore(store, join(root.path, "damaged"), damages, random);
console.log(`damaged store: ${report.refused} refused, ${report.identical} opened with all content`);
const unchecked = ledger.checks === 0 ? ["no recovery was checked"] : [];
conclude([...generations.violations(), ...report.violations, ...unchecked], "No message was lost", seed);

/** Lets a generation run into a limit on the size of its files, as on a full disk. */
async function fillDisk(generation: number): Promise<void> {
  const blocks = Math.ceil(statSync(join(store, "store.mdb")).size / 1024) + 64;
  const limited = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
  const limit = (command: readonly string[]) => ["bash", "-c", limited, ...command] as const;
  const code = await generations.runToEnd(generation, 20_000, limit);
  console.log(
    code === 3 ? "full disk: messages refused, then stopped" : `full disk: the disk was not full (${code})`,
  );
}
