import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromSessionState, isNoState, toSessionState } from "./session-state.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const at = Date.UTC(2026, 0, 1);

describe("a session's state", () => {
  it("has content type, type and properties before the bytes", () => {
    const state = toSessionState({
      body: bytes("{}"),
      contentType: "application/json",
      subject: "Cart",
      applicationProperties: { "Content-Encoding": "gzip", big: 2n ** 60n, at: new Date(at), none: null },
    });
    expect(Array.from(state.subarray(0, 4))).toEqual([0xc1, 0x57, 0x42, 1]);
    expect(fromSessionState(state, "Other", "carts")).toEqual({
      body: bytes("{}"),
      contentType: "application/json",
      subject: "Cart",
      applicationProperties: { "Content-Encoding": "gzip", big: 2n ** 60n, at: new Date(at), none: null },
    });
  });

  it("begins with a byte that text, MessagePack and Avro do not have", () => {
    const [first] = toSessionState({ body: new Uint8Array(), contentType: "application/json" });
    // MessagePack never uses it, UTF-8 neither, and Avro's single-object encoding begins with c3.
    expect(first).toBe(0xc1);
  });

  it("is read without a content type if another client wrote it", () => {
    const state = bytes('{"total":3}');
    expect(fromSessionState(state, "Cart", "carts")).toEqual({
      body: state,
      subject: "Cart",
      applicationProperties: {},
    });
  });

  it.each([
    ["nothing", ""],
    ["the null of the official SDK", "null"],
  ])("is empty when it is %s", (_, text) => {
    expect(isNoState(bytes(text))).toBe(true);
  });

  it.each([
    [
      "of a later version",
      Uint8Array.of(0xc1, 0x57, 0x42, 2, 0, 0),
      "it is of version 2, and this is version 1",
    ],
    ["truncated in its length", Uint8Array.of(0xc1, 0x57, 0x42, 1, 0), "it is cut off"],
    ["truncated in its header", Uint8Array.of(0xc1, 0x57, 0x42, 1, 0, 9, 0x7b), "it is cut off"],
    ["not JSON", withHeader("{"), "it is not JSON"],
    ["a list", withHeader("[]"), "it is not an object"],
    ["a number for a content type", withHeader('{"contentType":1}'), "its contentType is not a string"],
    [
      "a list of properties",
      withHeader('{"applicationProperties":[]}'),
      "its applicationProperties are not an object",
    ],
    [
      "an invalid property",
      withHeader('{"applicationProperties":{"a":{}}}'),
      "an application property of an unknown kind",
    ],
  ])("is refused when its header is %s", (_, state, text) => {
    expect(() => fromSessionState(state, undefined, "carts")).toThrow(
      expect.objectContaining({
        code: "deserialization-failed",
        entityPath: "carts",
        message: expect.stringContaining(text),
      }),
    );
  });

  it("does not pollute prototypes", () => {
    const state = withHeader('{"applicationProperties":{"__proto__":"x","constructor":"y"}}');
    const { applicationProperties } = fromSessionState(state, undefined, "carts");
    expect(Object.getPrototypeOf(applicationProperties)).toBe(Object.prototype);
    expect(Object.entries(applicationProperties!)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });

  it("refuses binary properties and headers that are too long", () => {
    const body = new Uint8Array();
    expect(() => toSessionState({ body, applicationProperties: { raw: Uint8Array.of(1) } })).toThrow(
      'the application property "raw" of a session state is binary',
    );
    expect(() => toSessionState({ body, subject: "x".repeat(70_000) })).toThrow("more than 65535");
  });

  it("is read back unchanged with any content", () => {
    const value = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.date({ noInvalidDate: true }),
    );
    const message = fc.record({
      body: fc.uint8Array(),
      contentType: fc.string(),
      subject: fc.string(),
      applicationProperties: fc.dictionary(fc.string(), value),
    });
    fc.assert(
      fc.property(message, (one) => {
        expect(fromSessionState(toSessionState(one), undefined, "carts")).toEqual(one);
      }),
    );
  });

  it("throws no other error for any damage", () => {
    const damaged = fc.uint8Array().map((tail) => Uint8Array.of(0xc1, 0x57, 0x42, 1, ...tail));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), damaged), (state) => {
        try {
          fromSessionState(state, undefined, "carts");
        } catch (error) {
          expect(error).toMatchObject({ code: "deserialization-failed" });
        }
      }),
    );
  });
});

function withHeader(header: string): Uint8Array {
  const text = bytes(header);
  return Uint8Array.of(0xc1, 0x57, 0x42, 1, text.length >> 8, text.length & 0xff, ...text);
}
