import { afterEach, describe, expect, it, vi } from "vitest";
import { describePrograms, type Programs, runProgram } from "./programs.js";

const ran: string[][] = [];
const run = () => Promise.resolve(ran.push(process.argv.slice(2)));
const programs: Programs = {
  attack: { shows: "Floods do no harm.", takes: "5 min", quick: ["--seconds", "30"], run },
  chaos: { shows: "Nothing is lost.", takes: "minutes", run },
};
const { argv } = process;

afterEach(() => {
  process.argv = argv;
  ran.length = 0;
});

describe("a command of programs", () => {
  it("describes them in a table: how long each takes, and what it shows", () => {
    expect(describePrograms("reliability", programs).split("\n").slice(0, 4)).toEqual([
      "pnpm reliability <name> [options]",
      "",
      "attack  5 min    Floods do no harm.",
      "chaos   minutes  Nothing is lost.",
    ]);
  });

  it("runs the one that is named, with its options, or with those of a quick run", async () => {
    process.argv = ["node", "main.js", "attack", "--quick", "--slack", "5"];
    await runProgram("reliability", programs);
    process.argv = ["node", "main.js", "chaos", "--kills", "1"];
    await runProgram("reliability", programs);
    expect(ran).toEqual([
      ["--seconds", "30", "--slack", "5"],
      ["--kills", "1"],
    ]);
  });

  it("names the options of one with --help, and does not run it", async () => {
    const printed = vi.spyOn(console, "log").mockImplementation(() => {});
    process.argv = ["node", "main.js", "attack", "--help"];
    await runProgram("reliability", programs);
    expect(printed.mock.calls.join()).toContain("--quick stands for: --seconds 30");
    expect(ran).toEqual([]);
    printed.mockRestore();
  });
});
