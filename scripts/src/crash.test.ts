import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { Ledger } from "./crash/ledger.js";

const run = promisify(execFile);
/** The killed process cannot run the sources, so this takes what `tsc -b` made. */
const program = fileURLToPath(new URL("../dist/crash.js", import.meta.url));

describe("pnpm crash", () => {
  it.runIf(existsSync(program))(
    "finds all that was acknowledged after three kills, a full disk and damage",
    async () => {
      const { stdout } = await run(process.execPath, [
        program,
        "--kills",
        "3",
        "--damages",
        "30",
        "--seed",
        "7",
      ]);
      expect(stdout).toContain("Nothing was lost");
    },
    60_000,
  );
});

describe("the ledger of a crash", () => {
  const nothing = { things: [], sequences: [] };

  it("misses what was acknowledged and is gone", () => {
    const ledger = new Ledger();
    ledger.read(0, [
      ["try", 0, [["q/a", "active 0"]]],
      ["ok", 0],
    ]);
    ledger.read(1, [["found", nothing]]);
    expect(ledger.violations).toEqual(["generation 1: q/a is absent, and should be active 0"]);
  });

  it("minds what was settled and is back", () => {
    const ledger = new Ledger();
    ledger.read(0, [
      ["try", 0, [["q/a", "active 0"]]],
      ["try", 1, [["q/a", "absent"]]],
      ["ok", 1],
      ["ok", 0],
    ]);
    ledger.read(1, [["found", { ...nothing, things: [["q/a", "active 0"]] }]]);
    expect(ledger.violations).toEqual(["generation 1: q/a is active 0, and should be absent"]);
  });

  it("takes either outcome of what was in progress, but not half of it", () => {
    for (const [found, violations] of [
      [[], 0],
      [["q/a", "q/b"], 0],
      [["q/a"], 1],
    ] as const) {
      const ledger = new Ledger();
      ledger.read(0, [
        [
          "try",
          0,
          [
            ["q/a", "active 0"],
            ["q/b", "active 0"],
          ],
        ],
      ]);
      ledger.read(1, [["found", { ...nothing, things: found.map((thing) => [thing, "active 0"]) }]]);
      expect(ledger.violations).toHaveLength(violations);
    }
  });

  it("minds a sequence number that is given twice", () => {
    const ledger = new Ledger();
    ledger.read(0, [["seen", "q", "5", "a"]]);
    ledger.read(1, [["found", { things: [], sequences: [["q", "5", "b"]] }]]);
    expect(ledger.violations).toEqual(["generation 1: sequence number q 5 went to a and to b"]);
  });
});
