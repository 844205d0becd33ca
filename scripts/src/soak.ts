import { spawnSync } from "node:child_process";
import { newSeed, readOptions } from "./run/options.js";

/**
 * Plays millions of random commands on the broker's engine and its naive model, in portions of fresh processes:
 * `pnpm soak [--commands 2000000] [--seed n]`. Prints each portion's seed; the first failure ends the run with its
 * shrunk counterexample and a non-zero status.
 */
const PORTION = 100_000;
/** Seeds of neighbouring portions stay apart: a portion counts its own seeds up from its first. */
const SEED_STRIDE = 100_000;

const { commands: wanted, seed: firstSeed } = readOptions({ commands: 2_000_000, seed: newSeed() });

for (let portion = 0; portion * PORTION < wanted; portion++) {
  const seed = (firstSeed + portion * SEED_STRIDE) % 2 ** 31;
  const commands = Math.min(PORTION, wanted - portion * PORTION);
  console.log(`soak: commands ${portion * PORTION} to ${portion * PORTION + commands}, seed ${seed}`);
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
      `soak: failed with seed ${seed}; repeat it with: pnpm soak --commands ${commands} --seed ${seed}`,
    );
    process.exitCode = 1;
    break;
  }
}
