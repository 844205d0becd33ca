import { describe, expect, it } from "vitest";
import { assertSameValue, isSameValue } from "./same-value.js";

describe("isSameValue", () => {
  it("compares numbers by Object.is", () => {
    expect(isSameValue(Number.NaN, Number.NaN)).toBe(true);
    expect(isSameValue(0, -0)).toBe(false);
    expect(isSameValue(1, 1n)).toBe(false);
  });

  it("compares bytes of any class by content", () => {
    expect(isSameValue(Buffer.from([1, 2]), Uint8Array.of(1, 2))).toBe(true);
    expect(isSameValue(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(isSameValue([1, 2], Uint8Array.of(1, 2))).toBe(false);
  });

  it("compares objects by their own keys, whatever their prototype", () => {
    expect(isSameValue(Object.assign(Object.create({ b: 2 }), { a: 1 }), { a: 1 })).toBe(true);
    expect(isSameValue({ a: 1, b: undefined }, { a: 1 })).toBe(false);
    expect(isSameValue({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  });

  it("treats a __proto__ key as a key", () => {
    const own: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(isSameValue(own, JSON.parse('{"__proto__":{"a":1}}'))).toBe(true);
    expect(isSameValue(own, JSON.parse('{"__proto__":{"a":2}}'))).toBe(false);
    expect(isSameValue({}, own)).toBe(false);
  });

  it("compares dates, maps and sets", () => {
    expect(isSameValue(new Date(5), new Date(5))).toBe(true);
    expect(isSameValue(new Date(5), new Date(6))).toBe(false);
    expect(isSameValue(new Map([["a", 1]]), new Map([["a", 1]]))).toBe(true);
    expect(isSameValue(new Map([["a", 1]]), { a: 1 })).toBe(false);
    expect(isSameValue(new Set([1]), new Set([2]))).toBe(false);
  });

  it("distinguishes an array with a hole from an empty one", () => {
    expect(isSameValue([], Array.from({ length: 1 }))).toBe(false);
  });
});

describe("assertSameValue", () => {
  it("names the path of the first difference", () => {
    expect(() => assertSameValue({ lines: [{ sku: 1 }] }, { lines: [{ sku: 2 }] }, "the order")).toThrow(
      "the order differs at $.lines.0.sku: expected 2, got 1",
    );
  });
});
