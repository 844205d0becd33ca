import { WaybillError } from "@waybill/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkExtent } from "./check-extent.js";

/** The items of the arrays and objects of a value, at all levels. */
function itemsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + 1 + itemsOf(item), 0);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function reasonOf(text: string, maxDepth: number, maxItems: number): string | undefined {
  try {
    checkExtent(new TextEncoder().encode(text), { maxDepth, maxItems });
    return undefined;
  } catch (error) {
    if (error instanceof WaybillError) return error.reason;
    throw error;
  }
}

describe("the check of a body before it is parsed", () => {
  const text = fc
    .tuple(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), fc.constantFrom(undefined, 1, "\n\t "))
    .map(([value, space]) => ({ value, text: JSON.stringify(value, undefined, space) }))
    // A text that is short for its items is checked only with a lower limit.
    .filter(({ value }) => itemsOf(value) > 1);

  it("counts the items that the parser would create", () => {
    fc.assert(
      fc.property(text, ({ value, text }) => {
        const items = itemsOf(value);
        expect(reasonOf(text, 1_000, items)).toBeUndefined();
        expect(reasonOf(text, 1_000, items - 1)).toBe("items-exceeded");
      }),
      { numRuns: 2_000 },
    );
  });

  it("counts the levels that the parser would create", () => {
    fc.assert(
      fc.property(text, ({ value, text }) => {
        // Long enough to be checked.
        const padded = text.padEnd(70_000);
        expect(reasonOf(padded, depthOf(value), 1_000_000)).toBeUndefined();
        expect(reasonOf(padded, depthOf(value) - 1, 1_000_000)).toBe("depth-exceeded");
      }),
      { numRuns: 300 },
    );
  });

  it("reports every number that a double may round", () => {
    const look = (number: string) =>
      checkExtent(new TextEncoder().encode(`["${"9".repeat(70_000)}e",${number}]`), { maxDepth: 2 });
    for (const number of ["1234567890123456", "-9007199254740993", "1e5", "-0E1", "0.1234567890123456"])
      expect(look(number)?.hasLongNumber).toBe(true);
    for (const number of ["123456789012345", "-1.5", "0", "true", '"1e9"'])
      expect(look(number)?.hasLongNumber).toBe(false);
  });

  it("skips a body that is too small to be harmful", () => {
    expect(checkExtent(new TextEncoder().encode("[[[[]]]]"), { maxDepth: 1, maxItems: 100 })).toBeUndefined();
  });
});
