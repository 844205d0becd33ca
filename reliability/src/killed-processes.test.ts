import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { describeRuns, isCompiled, runQuickly } from "./short-runs.test-support.js";

describeRuns([
  [
    "crash",
    "finds all acknowledged messages after three kills, a full disk and damage",
    "No message was lost",
  ],
  ["crash-repair", "delivers each repaired message after two kills", "Each message was delivered"],
  ["session-restarts", "finds every result exact after three kills", "Every result is exact"],
]);

describe("pnpm reliability one-owner", () => {
  const hasNamespaces = spawnSync("unshare", ["-pfm", "--mount-proc", "true"]).status === 0;
  const obstacle = isCompiled
    ? hasNamespaces
      ? ""
      : " (skipped: this computer does not let `unshare` make process namespaces)"
    : " (skipped: it is not compiled)";
  const name = "lets one of two process namespaces have a store, and starts on no full or read-only disk";
  it.runIf(obstacle === "")(`${name}${obstacle}`, { timeout: 60_000 }, async () => {
    expect(await runQuickly("one-owner")).toContain("The store has one owner");
  });
});
