import { describe, expect, it } from "vitest";
import { requireOneOf, requireType } from "./known-options.js";
import { durationMs, requireDuration, requireInteger } from "./numbers.js";

describe("requireOneOf", () => {
  it("accepts a choice, and otherwise names all choices", () => {
    expect(requireOneOf("box: lid", "open", ["open", "closed"])).toBe("open");
    const check = (value: unknown) => () => requireOneOf("box: lid", value, ["open", "closed", "gone"]);
    expect(check("ajar")).toThrow(new TypeError('box: lid must be "open", "closed" or "gone", not "ajar".'));
    expect(check(undefined)).toThrow("not undefined.");
    expect(check({ secret: 1 })).toThrow("not an object.");
    expect(check("x".repeat(5000))).toThrow(/not "x{128}…"\.$/);
    expect(() => requireOneOf("lid", 1, ["open"])).toThrow('lid must be "open", not a number.');
  });
});

describe("requireType", () => {
  it("accepts a value of the type, and otherwise names its type", () => {
    expect(() => requireType("lid", true, "boolean")).not.toThrow();
    expect(() => requireType("lid", "true", "boolean")).toThrow(
      new TypeError("lid must be a boolean; got a string."),
    );
    expect(() => requireType("onOpen", [], "function")).toThrow("onOpen must be a function; got an array.");
  });
});

describe("requireInteger", () => {
  it("accepts the integers of a range, and otherwise names the range", () => {
    expect(requireInteger("size", 3, 1)).toBe(3);
    expect(() => requireInteger("size", 0, 1)).toThrow(
      new TypeError("size must be a positive integer; got 0."),
    );
    expect(() => requireInteger("size", 1.5, 100)).toThrow(
      "size must be an integer of 100 or more; got 1.5.",
    );
    expect(() => requireInteger("size", 11, 1, 10)).toThrow("size must be an integer from 1 to 10; got 11.");
    expect(() => requireInteger("size", "1" as never, 1)).toThrow("got a string.");
  });
});

describe("requireDuration", () => {
  it("accepts finite numbers of milliseconds from a minimum", () => {
    expect(requireDuration("wait", 0.5, 0)).toBe(0.5);
    for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => requireDuration("wait", value, 0)).toThrow(
        new TypeError(`wait must be a number of milliseconds from 0; got ${value}.`),
      );
    expect(() => requireDuration("wait", "1" as never, 0)).toThrow("got a string.");
  });

  it("can be infinite where that makes sense, and has a default", () => {
    expect(durationMs("wait", Number.POSITIVE_INFINITY, 5)).toBe(Number.POSITIVE_INFINITY);
    expect(durationMs("wait", undefined, 5)).toBe(5);
    expect(() => durationMs("wait", Number.NaN, 5)).toThrow("from 0; got NaN.");
  });
});
