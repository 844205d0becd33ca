import fc from "fast-check";
import { expect, it } from "vitest";
import { formatSelection, parseSelection } from "../page/src/data/selection-text.js";

it("writes runs of sequence numbers short", () => {
  expect(formatSelection(new Set(["7", "5", "9", "8"]))).toBe("5.2-2");
  const many = new Set(Array.from({ length: 1_500 }, (_, index) => String(index + 1)));
  expect(formatSelection(many)).toBe("1-5db");
  expect(parseSelection("1-5db")).toEqual(many);
  expect(formatSelection(new Set())).toBe("");
});

it("takes four characters or less for each of 1,500 numbers with gaps of up to 4,000, also in a partitioned queue", () => {
  const start = 5n << 48n;
  const gapped = new Set(Array.from({ length: 1_500 }, (_, index) => String(start + BigInt(index * 4_000))));
  const text = formatSelection(gapped);
  expect(text.length).toBeLessThan(1_500 * 4 + 16);
  expect(parseSelection(text)).toEqual(gapped);
});

it("reads what it wrote", () => {
  const sequenceNumber = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });
  fc.assert(
    fc.property(fc.array(fc.oneof(sequenceNumber, fc.bigInt({ min: 0n, max: 50n }))), (numbers) => {
      const selection = new Set(numbers.map(String));
      expect(parseSelection(formatSelection(selection))).toEqual(selection);
    }),
  );
});

it("takes an address that somebody else wrote for no more than 100,000 numbers, and nonsense for none", () => {
  expect(parseSelection(Array.from({ length: 50 }, () => "1-fffff").join(".")).size).toBe(100_000);
  for (const text of ["x", "1..2", "1-", "-1", "1,2", "1e400-zz"])
    expect(parseSelection(text)).toEqual(new Set());
});
