import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shareCount, shareOf, stableKey } from "./stable-share.js";

describe("shareOf", () => {
  it("follows the documented algorithm, so that other senders can decide in the same way", () => {
    expect(shareOf("order-placed", "ada")).toBe(reference("order-placed", "ada"));
    expect(shareOf("order-placed", "zoë 😀")).toBe(reference("order-placed", "zoë 😀"));
  });

  it("never changes", () => {
    expect(["ada", "bob", "1", "2", ""].map((key) => shareOf("order-placed", key))).toMatchInlineSnapshot(`
      [
        9832,
        3462,
        7576,
        2645,
        3899,
      ]
    `);
  });

  it("is the same for a string and its UTF-8 bytes, and below the number of shares", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "grapheme" }), (type, key) => {
        const share = shareOf(type, key);
        expect(share).toBe(shareOf(type, new TextEncoder().encode(key)));
        expect(share).toBe(reference(type, key));
        expect(share >= 0 && share < shareCount).toBe(true);
      }),
    );
  });

  it("spreads keys evenly, even consecutive numbers", () => {
    const tenths = new Array<number>(10).fill(0);
    for (let id = 0; id < 20_000; id++) tenths[Math.floor(shareOf("order-placed", `order-${id}`) / 1000)]!++;
    for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(200);
  });
});

describe("stableKey", () => {
  it("is the session id, else the partition key, else the message id", () => {
    expect(stableKey({ body: 1, sessionId: "s", partitionKey: "s", messageId: "m" })).toBe("s");
    expect(stableKey({ body: 1, partitionKey: "p", messageId: "m" })).toBe("p");
    expect(stableKey({ body: 1, messageId: 7n })).toBe("7");
    expect(stableKey({ body: 1 })).toBeUndefined();
  });
});

/** The documented algorithm, written with bigints. */
function reference(type: string, key: string): number {
  const mask = 0xffffffffn;
  let hash = 0x811c9dc5n;
  for (const byte of new TextEncoder().encode(`${type}\n${key}`))
    hash = ((hash ^ BigInt(byte)) * 0x01000193n) & mask;
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask;
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask;
  hash ^= hash >> 16n;
  return Number((hash * 10_000n) >> 32n);
}
