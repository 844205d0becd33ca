import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { redactedCause } from "./redacted-cause.js";

function thrown(throwing: () => unknown): unknown {
  try {
    return throwing();
  } catch (error) {
    return error;
  }
}

describe("redactedCause", () => {
  it("keeps the kind of an error and its frames, and drops its text", () => {
    const shown = redactedCause(thrown(() => JSON.parse('{"card": 4111111111111111 oops}')));
    expect(shown).toBeInstanceOf(SyntaxError);
    expect(shown?.message).toBe("");
    expect(shown?.stack).toMatch(/^SyntaxError\n +at JSON\.parse .*\n +at .*redacted-cause\.test\.ts:\d+/);
    expect(inspect(shown)).not.toContain("4111");
  });

  it("drops lines of the text that look like frames", () => {
    const shown = redactedCause(new Error("first\n    at secret (payload)\nlast"));
    expect(shown?.stack).not.toContain("secret");
    expect(shown?.stack).toContain("redacted-cause.test.ts");
  });

  it("does not show a text that was changed afterwards", () => {
    const error = new Error("before\n    at secret (payload)");
    void error.stack;
    error.message = "after";
    expect(redactedCause(error)?.stack).not.toContain("secret");
  });

  it("returns nothing for values that are not errors", () => {
    expect(redactedCause("secret")).toBeUndefined();
    expect(redactedCause({ message: "secret", stack: "secret" })).toBeUndefined();
  });
});
