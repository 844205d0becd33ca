import { describe, expect, it } from "vitest";
import { describeMutation, mutated, mutationsOf } from "./mutate.js";

/** Every text that a mutation of a program leads to. */
function mutantsOf(text: string): string[] {
  return mutationsOf("a.ts", text).map((mutation) => mutated(text, mutation));
}

describe("mutationsOf", () => {
  it("changes operators, and comparisons by one", () => {
    expect(mutantsOf("x = a < b && c;")).toEqual([";", "x = a < b || c;", "x = a <= b && c;"]);
  });

  it("takes each branch always", () => {
    expect(mutantsOf("if (a) { b; }")).toEqual(["if (true) { b; }", "if (false) { b; }"]);
    expect(mutantsOf("const x = a ? b : c;")).toEqual(["const x = (b);", "const x = (c);"]);
  });

  it("leaves out calls, errors and results", () => {
    expect(mutantsOf("f();")).toEqual([";"]);
    expect(mutantsOf("throw e;")).toEqual([";"]);
    expect(mutantsOf("function f() { return a; }")).toEqual(["function f() { return undefined; }"]);
  });

  it("changes constants, and negations", () => {
    expect(mutantsOf("const x = [true, 7, !a];")).toEqual([
      "const x = [false, 7, !a];",
      "const x = [true, 8, !a];",
      "const x = [true, 7, a];",
    ]);
  });

  it("leaves types, names and texts alone", () => {
    expect(mutantsOf('import { a } from "a"; type B = "b" | 7; const c: B = "b";')).toEqual([]);
  });

  it("leaves the values of option names alone, because only their keys are read", () => {
    expect(mutantsOf("const names: OptionNames<Options> = { a: true, b: true };")).toEqual([]);
    expect(mutantsOf("const names: Names<Options> = { a: true };")).toHaveLength(1);
  });

  it("leaves alone what the compiler lets be nothing else", () => {
    expect(mutantsOf("const a = { a: true } satisfies Record<keyof Kind, true>;")).toEqual([]);
    expect(mutantsOf("const a = { a: true } satisfies Record<keyof Kind, boolean>;")).toHaveLength(1);
  });

  it("is described by its line before and after", () => {
    const text = "first;\n  if (a < b) c;\n";
    const [mutation] = mutationsOf("a.ts", text).filter(({ replacement }) => replacement === "<=");
    expect(mutation && describeMutation("a.ts", text, mutation)).toBe(
      "a.ts:2: if (a < b) c;  →  if (a <= b) c;",
    );
  });
});
