import { spawnSync } from "node:child_process";

// Runs the tests that take samples in `pnpm test` with all bodies, changes and messages, and compares the tables of docs/deserialization.md
// that count them. CONTRIBUTING.md lists what each proves. Exits with 1 if one fails.

/** Each reads `WAYBILL_SAMPLES`. */
const files = [
  "packages/broker-server/src/http/messages/round-trip.test.ts",
  "packages/envelopes/src/encrypted-labels.test.ts",
  "test/cross-format/cross-format.test.ts",
  "test/cross-format/doors.test.ts",
];

const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...files], {
  stdio: "inherit",
  env: { ...process.env, WAYBILL_SAMPLES: "all" },
});
process.exitCode = status === 0 ? 0 : 1;
