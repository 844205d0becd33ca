import { spawnSync } from "node:child_process";
import { newSeed, readOptions } from "waybill-harness/options.js";

/**
 * Runs millions of random commands on the broker engine and on a simple model of it, in portions, each in a new process:
 * `pnpm reliability soak [--commands 2000000] [--seed n]`. Prints each portion's seed; the first failure ends the run with its
 * shrunk counterexample and a non-zero exit code.
 */
const portionSize = 100_000;
/** Distance between the seeds of portions: within a portion, seeds are counted up from its first. */
const seedStride = 100_000;

const { commands: wanted, seed: firstSeed } = readOptions({ commands: 2_000_000, seed: newSeed() });

for (let portion = 0; portion * portionSize < wanted; portion++) {
  const seed = (firstSeed + portion * seedStride) % 2 ** 31;
  const commands = Math.min(portionSize, wanted - portion * portionSize);
  console.log(`soak: commands ${portion * portionSize} to ${portion * portionSize + commands}, seed ${seed}`);
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "packages/broker/src/model.test.ts"],
    {
      stdio: "inherit",
      env: { ...process.env, WAYBILL_MODEL_COMMANDS: String(commands), WAYBILL_MODEL_SEED: String(seed) },
    },
  );
  if (status !== 0) {
    console.error(
      `soak: failed with seed ${seed}; repeat it with: pnpm reliability soak --commands ${commands} --seed ${seed}`,
    );
    process.exitCode = 1;
    break;
  }
}
