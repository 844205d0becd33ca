import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { kindOf, Tally } from "./chaos/tally.js";

const run = promisify(execFile);
/** The killed process cannot run the sources, so this takes what `tsc -b` made. */
const program = fileURLToPath(new URL("../dist/chaos.js", import.meta.url));

describe("pnpm chaos", () => {
  it.runIf(existsSync(program))(
    "loses nothing when the server is killed under the official SDK",
    async () => {
      const { stdout } = await run(process.execPath, [program, "--messages", "2000", "--kills", "1"]);
      expect(stdout).toContain("Nothing was lost");
    },
    120_000,
  );
});

describe("the tally of chaos", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

  it("has 1 % poison and 10 % that are abandoned once", () => {
    const kinds = numbers(1_000).map(kindOf);
    expect(kinds.filter((kind) => kind === "poison")).toHaveLength(10);
    expect(kinds.filter((kind) => kind === "abandoned")).toHaveLength(100);
    const tally = new Tally(1_000);
    expect(numbers(1_000).filter((number) => tally.takesAbandoning(number))).toHaveLength(100);
    expect(numbers(1_000).filter((number) => tally.takesAbandoning(number))).toHaveLength(0);
  });

  it("misses by id what was neither handled nor dead-lettered", () => {
    const tally = new Tally(10);
    for (const number of numbers(10)) tally.sent(number);
    for (const number of numbers(10)) if (number !== 5 && number !== 7) tally.handled(number);
    tally.close();
    expect(tally.violations).toEqual(["good message 5 is lost", "poison message 7 is lost"]);
  });

  it("minds poison that reached the handler, good messages in the dead-letter queue and flawed letters", () => {
    const tally = new Tally(10);
    tally.handled(7);
    tally.deadLettered(1, undefined);
    tally.deadLettered(7, "it has no record");
    expect(tally.violations).toEqual([
      "poison message 7 reached the handler",
      "good message 1 was dead-lettered",
      "dead letter 7: it has no record",
    ]);
  });
});
