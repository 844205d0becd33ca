import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBroker } from "../client/broker.js";
import { LockTokens } from "./lock-token.js";

describe("LockTokens", () => {
  const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  const identity = fc.record({
    sequence: fc.integer({ min: 0, max: 2 ** 52 - 1 }),
    serial: word,
    secret: word,
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

  it("also writes them as bytes", () => {
    const tokens = new LockTokens();
    fc.assert(
      fc.property(identity, (lock) => {
        const digits = tokens.format(lock).replaceAll("-", "");
        expect(Buffer.from(tokens.encode(lock)).toString("hex")).toBe(digits);
      }),
    );
  });

  it("returns undefined for text that is not a token", () => {
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
});

/** The bits in which two tokens differ. */
const difference = (a: string, b: string): bigint => {
  const bits = (token: string) => BigInt(`0x${token.replaceAll("-", "")}`);
  return bits(a) ^ bits(b);
};

describe("a lock token", () => {
  it("cannot be derived from other tokens", async () => {
    await using broker = createBroker();
    await broker.createQueue("q");
    const body = { section: "data", bytes: new Uint8Array(1) } as const;
    await broker.sender("q").sendBatch(Array.from({ length: 64 }, () => ({ body })));
    const receiver = broker.receiver("q");
    const messages = await receiver.receive(64);
    const tokens = messages.map(({ lockToken = "" }) => lockToken);
    // The difference of two consecutive tokens, applied to a third, must not result in a fourth.
    for (let i = 0; i + 3 < tokens.length; i++) {
      const [a = "", b = "", c = ""] = tokens.slice(i + 1);
      const step = difference(tokens[i] ?? "", a);
      const forged = (BigInt(`0x${b.replaceAll("-", "")}`) ^ step).toString(16).padStart(32, "0");
      const text = forged.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      expect(text).not.toBe(c);
      if (!tokens.includes(text)) await expect(receiver.complete(text)).rejects.toThrow("lock");
    }
    const differences = new Set(
      tokens.slice(1).map((token, i) => difference(tokens[i] ?? "", token) & (2n ** 62n - 1n)),
    );
    expect(differences.size).toBe(63);
    for (const token of tokens) await receiver.complete(token);
  });

  it("changes with each delivery, and only the last one is valid", async () => {
    await using broker = createBroker();
    await broker.createQueue("q");
    await broker.sender("q").send({ body: { section: "data", bytes: new Uint8Array(1) } });
    const receiver = broker.receiver("q");
    const [first] = await receiver.receive();
    await receiver.abandon(first?.lockToken ?? "");
    const [second] = await receiver.receive();
    expect(second?.lockToken).not.toBe(first?.lockToken);
    await expect(receiver.complete(first?.lockToken ?? "")).rejects.toThrow("lock");
    await expect(receiver.complete(first?.lock ?? "")).rejects.toThrow("lock");
    await receiver.complete(second?.lock ?? "");
  });
});
