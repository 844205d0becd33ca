import { describe, expect, it } from "vitest";
import { RequestIds } from "./request-ids.js";

describe("the ids of a requester's requests", () => {
  it("are UUIDs, unique among all requesters", () => {
    const [one, other] = [new RequestIds(), new RequestIds()];
    const made = [one.next(), one.next(), other.next(), other.next()];
    expect(new Set(made).size).toBe(4);
    for (const id of made)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("that it made are all known, however many followed", () => {
    const ids = new RequestIds();
    const first = ids.next();
    for (let count = 0; count < 20_000; count++) ids.end(ids.next());
    expect(ids.hasEnded(first)).toBe(true);
  });

  it("that it has not made yet, or that only look like one, are unknown", () => {
    const ids = new RequestIds();
    const first = ids.next();
    const random = first.slice(0, -12);
    for (const number of ["000000000001", "0", "0000000000000", "-00000000000", "00000000000g", ""])
      expect(ids.hasEnded(`${random}${number}`), number).toBe(false);
    expect(ids.hasEnded("0".padStart(first.length))).toBe(false);
    expect(new RequestIds().hasEnded(first)).toBe(false);
  });

  it("that the application gave are known once they have ended, at least the last 5,000", () => {
    const ids = new RequestIds();
    for (let count = 0; count < 12_000; count++) ids.end(`order-${count}`);
    expect(ids.hasEnded("order-7000")).toBe(true);
    expect(ids.hasEnded("order-11999")).toBe(true);
    expect(ids.hasEnded("order-1")).toBe(false);
    expect(ids.hasEnded("order-12000")).toBe(false);
  });
});
