import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Accepted, describeFallen, hasFallen, measureAgainst, readAccepted } from "./accepted.js";
import type { Result } from "./measure.js";

const accepted = {
  date: "2026-11-28",
  machine: "any",
  results: [
    { suite: "broker", name: "rate", median: 1 },
    { suite: "broker", name: "time", median: 1 },
  ],
};

describe("a line of the bench", () => {
  it.each([
    ["rate", "at-least", 0.96, false],
    ["rate", "at-least", 0.95, true],
    ["rate", "at-least", 2, false],
    ["time", "at-most", 1.05, false],
    ["time", "at-most", 1.06, true],
    ["time", "at-most", 0.1, false],
    ["new", "at-least", 0.1, false],
  ] as const)("%s, %s, of %d has fallen: %s", (name, bound, median, fallen) => {
    expect(hasFallen(line(name, bound, median), accepted)).toBe(fallen);
  });

  it("is reported with both figures", () => {
    const results = [line("rate", "at-least", 0.5), line("time", "at-most", 1)];
    expect(describeFallen(results, accepted)).toEqual(["broker: rate: 0.50, accepted 1.00"]);
  });
});

describe("a check", () => {
  it("measures up to twice again, and keeps the best of each line", async () => {
    const runs = [
      [line("rate", "at-least", 0.5), line("time", "at-most", 1.2)],
      [line("rate", "at-least", 0.4), line("time", "at-most", 1.01)],
      [line("rate", "at-least", 0.97), line("time", "at-most", 1.3)],
    ];
    const results = await measureAgainst(accepted, async () => runs.shift() ?? []);
    expect(results.map(({ median }) => median)).toEqual([0.97, 1.01]);
    expect(runs).toEqual([]);
  });

  it("measures once while no line has fallen", async () => {
    let count = 0;
    await measureAgainst(accepted, async () => [line("rate", "at-least", ++count)]);
    expect(count).toBe(1);
  });

  it("has an accepted figure under its present name", () => {
    const shown: Accepted = JSON.parse(readFileSync(new URL("../../results.json", import.meta.url), "utf8"));
    const names = ({ results }: Accepted) => results.map(({ suite, name }) => `${suite}: ${name}`);
    expect(names(readAccepted())).toEqual(names(shown));
  });
});

function line(name: string, bound: Result["bound"], median: number): Result {
  return { suite: "broker", name, bound, median, min: median, max: median, rounds: 1, target: 1 };
}
