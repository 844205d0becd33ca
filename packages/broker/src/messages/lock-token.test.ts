import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LockTokens } from "./lock-token.js";

describe("LockTokens", () => {
  const identity = fc.record({
    storeId: fc.integer({ min: 0, max: 2 ** 28 - 1 }),
    sequence: fc.integer({ min: 0, max: 2 ** 52 - 1 }),
    serial: fc.integer({ min: 1, max: 2 ** 42 - 1 }),
  });

  it("writes UUIDs of version 4 and reads them back", () => {
    const tokens = new LockTokens();
    fc.assert(
      fc.property(identity, (lock) => {
        const token = tokens.format(lock);
        expect(token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(tokens.parse(token)).toEqual(lock);
        expect(tokens.parse(token.toUpperCase())).toEqual(lock);
      }),
    );
  });

  it("writes them as bytes, too", () => {
    const tokens = new LockTokens();
    fc.assert(
      fc.property(identity, (lock) => {
        const digits = tokens.format(lock).replaceAll("-", "");
        expect(Buffer.from(tokens.encode(lock)).toString("hex")).toBe(digits);
      }),
    );
  });

  it("reads nothing from text that is no token", () => {
    const tokens = new LockTokens();
    for (const text of [
      "",
      "x",
      "00000000-0000-0000-0000-000000000000",
      `${"0".repeat(8)}-0000-4000-8000-00000000000g`,
    ]) {
      expect(tokens.parse(text)).toBeUndefined();
    }
  });

  it("gives every lock a serial of its own", () => {
    const tokens = new LockTokens();
    const serials = Array.from({ length: 100 }, () => tokens.nextSerial());
    expect(new Set(serials).size).toBe(100);
  });
});
