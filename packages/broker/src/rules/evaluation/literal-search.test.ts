import fc from "fast-check";
import { expect, it } from "vitest";
import { compileSearch } from "./literal-search.js";

it("finds what indexOf finds", () => {
  const piece = fc.stringMatching(/^[ab]{0,12}$/);
  fc.assert(
    fc.property(
      piece,
      fc.nat(12),
      piece,
      fc.nat(40),
      piece,
      fc.nat(30),
      (one, times, two, more, three, from) => {
        const wanted = one.repeat(times) + two;
        const text = three + one.repeat(more) + two + one.repeat(times);
        expect(compileSearch(wanted)(text, from)).toBe(text.indexOf(wanted, from));
      },
    ),
    { numRuns: 3_000 },
  );
});
