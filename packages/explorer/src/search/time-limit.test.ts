import { describe, expect, it } from "vitest";
import { noTimeLimit, timeLimitOf } from "./time-limit.js";

const slow = () => /^(a+)+$/.test(`${"a".repeat(60)}!`);

describe("the time limit of a search", () => {
  it("interrupts a regular expression that backtracks without end, and names it", () => {
    const limit = timeLimitOf({ text: "/^(a+)+$/", reason: "PaymentServiceDown" }, 20);
    expect(() => limit(slow)).toThrow("The search was stopped: /^(a+)+$/ takes too long for what is in");
    expect(limit(() => "found")).toBe("found");
  });

  it("says the same of an expression that needs more memory than V8 gives it", () => {
    const limit = timeLimitOf({ value: "/(?:a|b)*x/" }, 60_000);
    const text = "ab".repeat(8 * 1024 * 1024);
    expect(() => limit(() => /(?:a|b)*x/.test(text))).toThrow("/(?:a|b)*x/ takes too long");
  });

  it("passes other errors on", () => {
    const error = new RangeError("another one");
    const limit = timeLimitOf({ reason: "/./" });
    expect(() =>
      limit(() => {
        throw error;
      }),
    ).toThrow(error);
  });

  it("is none where there is no regular expression", () => {
    expect(timeLimitOf({ text: "a/b", path: "$.id" })).toBe(noTimeLimit);
  });
});
