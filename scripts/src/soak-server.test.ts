import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { DeliveryLedger, type LedgerLine } from "./soak-server/delivery-ledger.js";
import { measureGrowth } from "./soak-server/growth.js";

const run = promisify(execFile);
/** The processes it starts cannot run the sources, so this takes what `tsc -b` made. */
const program = fileURLToPath(new URL("../dist/soak-server.js", import.meta.url));

describe("pnpm soak:server", () => {
  it.runIf(existsSync(program))("loses nothing in a few seconds with one kill", async () => {
    const options = ["--minutes", "0.1", "--clients", "4", "--kills", "1", "--seed", "7"];
    const { stdout } = await run(process.execPath, [program, ...options]);
    expect(stdout).toContain("Nothing was lost");
    expect(stdout).toContain("1 servers killed");
  });
});

describe("the ledger of deliveries", () => {
  const sent: LedgerLine[] = [
    ["send", 0, ["q"], ["a"]],
    ["sent", 1, ["a"]],
  ];
  const got = (lockedUntil: number, sequence = "1", id = "a"): LedgerLine => [
    "got",
    lockedUntil - 9,
    "q",
    id,
    sequence,
    lockedUntil,
  ];
  const violations = (lines: readonly LedgerLine[], serverStarts: number[] = []): string[] => {
    const ledger = new DeliveryLedger();
    ledger.read(lines);
    return ledger.violations({ lockMs: 10, sessionStores: ["s"], serverStarts });
  };

  it("misses what was acknowledged and is gone", () => {
    expect(violations(sent)).toEqual(["q a was acknowledged and is lost"]);
    expect(violations([...sent, ["left", 50, "q", "a", "1"]])).toEqual([]);
    expect(violations([...sent, ["complete", 50, "q", "a"]])).toEqual([]);
    expect(violations(sent.slice(0, 1))).toEqual([]);
  });

  it("minds what comes again after its acknowledged completion", () => {
    const completed: LedgerLine[] = [
      ["complete", 20, "q", "a"],
      ["completed", 21, "q", "a"],
    ];
    expect(violations([...sent, got(15), ...completed])).toEqual([]);
    expect(violations([...sent, got(15), ...completed, got(40)])).toEqual([
      "q a was completed and came again",
    ]);
    expect(violations([...sent, ...completed, ["left", 50, "q", "a", "1"]])).toEqual([
      "q a was completed and is still there",
    ]);
  });

  it("minds a message that is with two clients at once", () => {
    const left: LedgerLine = ["left", 50, "q", "a", "1"];
    const twice = [...sent, got(15), got(20), left];
    expect(violations(twice)).toEqual(["q a was locked and came to another client"]);
    expect(violations([...twice, ["abandon", 8, "q", "a"]])).toEqual([]);
    expect(violations(twice, [8])).toEqual([]);
    expect(violations([...sent, got(15), got(25), left])).toEqual([]);
  });

  it("allows a number to be given again when its message was never acknowledged", () => {
    const lost: LedgerLine[] = [["send", 0, ["q"], ["b"]], got(8, "1", "b")];
    expect(violations([...sent, ...lost, got(30), ["complete", 31, "q", "a"]])).toEqual([]);
  });

  it("minds a message that is there twice, and one that was never sent", () => {
    const left: LedgerLine = ["left", 90, "q", "a", "1"];
    expect(violations([...sent, got(15), got(60, "2"), left])).toEqual(["q a is there 2 times"]);
    expect(violations([...sent, left, ["left", 90, "q", "b", "1"]])).toEqual([
      "number q 1 went to a and to b",
      "q b was never sent",
    ]);
  });
});

describe("growth", () => {
  const limits = { ratio: 0.1, slack: 5 };

  it("is checked by the medians of the first and the last third", () => {
    expect(measureGrowth([100, 100, 900, 100, 100, 100], limits)).toEqual({
      from: 100,
      to: 100,
      isFlat: true,
    });
    expect(measureGrowth([100, 100, 110, 110, 114, 114], limits)!.isFlat).toBe(true);
    expect(measureGrowth([100, 100, 110, 110, 117, 117], limits)!.isFlat).toBe(false);
  });

  it("is unknown after a few samples", () => {
    expect(measureGrowth([1, 2, 3, 4, 5], limits)).toBeUndefined();
  });
});
