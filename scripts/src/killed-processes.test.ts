import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { compiled, describeRuns } from "./run/compiled.test-support.js";

describeRuns([
  [
    "crash",
    "finds all acknowledged messages after three kills, a full disk and damage",
    "--kills 3 --damages 30 --seed 7",
    "No message was lost",
  ],
  [
    "crash-repair",
    "delivers each repaired message after two kills",
    "--messages 200 --kills 2 --seed 7",
    "Each message was delivered",
  ],
  [
    "session-restarts",
    "finds every result exact after three kills",
    "--kills 3 --seed 7",
    "Every result is exact",
  ],
]);

describe("pnpm one-owner", () => {
  const program = compiled("one-owner");
  const hasNamespaces = spawnSync("unshare", ["-pfm", "--mount-proc", "true"]).status === 0;
  const obstacle = program.isThere
    ? hasNamespaces
      ? ""
      : " (skipped: this computer does not let `unshare` make process namespaces)"
    : " (skipped: it is not compiled)";
  const name = "lets one of two process namespaces have a store, and starts on no full or read-only disk";
  it.runIf(obstacle === "")(`${name}${obstacle}`, { timeout: 60_000 }, async () => {
    expect(await program.run()).toContain("The store has one owner");
  });
});
