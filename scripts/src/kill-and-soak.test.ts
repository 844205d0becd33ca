import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { kindOf } from "./chaos/kinds.js";
import { compiled } from "./run/compiled.test-support.js";

/** Short runs of the scripts that kill what they work on. They take what `tsc -b` made. */
const runs: readonly (readonly [script: string, statement: string, options: string, printed: string])[] = [
  [
    "crash",
    "finds all that was acknowledged after three kills, a full disk and damage",
    "--kills 3 --damages 30 --seed 7",
    "Nothing was lost",
  ],
  [
    "crash-repair",
    "delivers each dead letter after two kills",
    "--messages 200 --kills 2 --seed 7",
    "Each message was delivered",
  ],
  [
    "chaos",
    "loses nothing when the server is killed under the official SDK",
    "--messages 2000 --kills 1",
    "Nothing was lost",
  ],
  [
    "soak-server",
    "loses nothing in a few seconds with one kill",
    "--minutes 0.1 --clients 4 --kills 1 --seed 7",
    "Nothing was lost",
  ],
  [
    "session-restarts",
    "finds every result exact after three kills",
    "--kills 3 --seed 7",
    "every result is exact",
  ],
  // The time that it takes is for runs on a machine that has nothing else to do.
  [
    "stop-under-load",
    "loses nothing and leaves nothing locked",
    "--times 1 --inflight 300 --deadline 2000 --slack 20000",
    "none lost, none locked",
  ],
];

describe.each(runs)("pnpm %s", (script, statement, options, printed) => {
  const program = compiled(script);
  it.runIf(program.isThere)(statement, { timeout: 120_000 }, async () => {
    expect(await program.run(...options.split(" "))).toContain(printed);
  });
});

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
    expect(await program.run()).toContain("One owner");
  });
});

describe("the messages of chaos", () => {
  it("are 1 % poison, and 10 % that are abandoned once", () => {
    const kinds = Array.from({ length: 1_000 }, (_, number) => kindOf(number));
    expect(kinds.filter((kind) => kind === "poison")).toHaveLength(10);
    expect(kinds.filter((kind) => kind === "abandoned")).toHaveLength(100);
  });
});
