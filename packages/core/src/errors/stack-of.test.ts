import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { stackOf } from "./stack-of.js";

function thrown(throwing: () => unknown): unknown {
  try {
    return throwing();
  } catch (error) {
    return error;
  }
}

describe("stackOf", () => {
  it("keeps the kind of an error and its frames, and drops its text", () => {
    const shown = stackOf(thrown(() => JSON.parse('{"card": 4111111111111111 oops}')));
    expect(shown).toBeInstanceOf(SyntaxError);
    expect(shown?.message).toBe("");
    expect(shown?.stack).toMatch(/^SyntaxError\n +at JSON\.parse .*\n +at .*stack-of\.test\.ts:\d+/);
    expect(inspect(shown)).not.toContain("4111");
  });

  it("drops lines of the text that look like frames", () => {
    const shown = stackOf(new Error("first\n    at secret (payload)\nlast"));
    expect(shown?.stack).not.toContain("secret");
    expect(shown?.stack).toContain("stack-of.test.ts");
  });

  it("shows nothing of a text that was changed afterwards", () => {
    const error = new Error("before\n    at secret (payload)");
    void error.stack;
    error.message = "after";
    expect(stackOf(error)?.stack).not.toContain("secret");
  });

  it("shows nothing of what is no error", () => {
    expect(stackOf("secret")).toBeUndefined();
    expect(stackOf({ message: "secret", stack: "secret" })).toBeUndefined();
  });
});
