import { describe, expect, it } from "vitest";
import { parseIsoDuration, parseIsoTicks, ticksToIsoDuration, toIsoDuration } from "./iso-duration.js";

describe("an ISO 8601 duration", () => {
  it.each([
    ["PT0S", 0],
    ["PT1M", 60_000],
    ["PT0.5S", 500],
    ["P14D", 1_209_600_000],
    ["P1DT2H3M4.5S", 93_784_500],
    ["P10675199DT2H48M5.4775807S", Number.POSITIVE_INFINITY],
  ])("is written and read: %s", (text, ms) => {
    expect(toIsoDuration(ms)).toBe(text);
    expect(parseIsoDuration(text)).toBe(ms);
  });

  it.each([
    ["PT0S", 0n],
    ["PT0.0000001S", 1n],
    ["-P1DT0.5S", -864_005_000_000n],
    ["P10675199DT2H48M5.4775807S", 9_223_372_036_854_775_807n],
  ])("is written and read in ticks of 100 ns, exactly: %s", (text, ticks) => {
    expect(ticksToIsoDuration(ticks)).toBe(text);
    expect(parseIsoTicks(text)).toBe(ticks);
  });

  it("keeps Python's maximum as Python writes it", () => {
    const text = "P10675199DT2H48M5.477539S";
    expect(toIsoDuration(parseIsoDuration(text) ?? 0)).toBe(text);
  });

  it("may be negative, and is none with months, without a number or with anything else", () => {
    expect(parseIsoDuration("-PT1S")).toBe(-1000);
    for (const text of ["", "P", "PT", "P1M", "1 minute", "PT1M x"])
      expect(parseIsoDuration(text)).toBeUndefined();
  });
});
