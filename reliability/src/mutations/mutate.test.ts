import { describe, expect, it } from "vitest";
import { describeMutation, mutationsOf, withSwitches } from "./mutate.js";

/** Every text that a mutation of a program leads to. */
function mutantsOf(text: string): string[] {
  return mutationsOf("a.ts", text).map(
    ({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
  );
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

  it("doubles large numbers, of which one more would make no difference", () => {
    expect(mutantsOf("const x = [999, 1_000];")).toEqual([
      "const x = [1000, 1_000];",
      "const x = [999, 2000];",
    ]);
  });

  it("leaves types, names and texts alone", () => {
    expect(mutantsOf('import { a } from "a"; type B = "b" | 7; const c: B = "b";')).toEqual([]);
  });

  it("leaves the values of option names alone, because only their keys are read", () => {
    expect(mutantsOf("const names: OptionNames<Options> = { a: true, b: true };")).toEqual([]);
    expect(mutantsOf("const names: Names<Options> = { a: true };")).toHaveLength(1);
    expect(mutantsOf("requireKnownOptions(where, options, { a: true });")).toEqual([";"]);
  });

  it("leaves alone what the compiler lets be nothing else", () => {
    expect(mutantsOf("const a = { a: true } satisfies Record<keyof Kind, true>;")).toEqual([]);
    expect(mutantsOf("const a = { a: true } satisfies Record<keyof Kind, boolean>;")).toHaveLength(1);
  });

  it("leaves alone what means the same to every reader", () => {
    expect(mutantsOf("function f() { return false; }")).toEqual(["function f() { return true; }"]);
    expect(mutantsOf("const x = y(-1, -2);")).toEqual(["const x = y(-1, -3);"]);
  });

  it("is described by its line before and after", () => {
    const text = "first;\n  if (a < b) c;\n";
    const [mutation] = mutationsOf("a.ts", text).filter(({ replacement }) => replacement === "<=");
    expect(mutation && describeMutation("a.ts", text, mutation)).toBe(
      "a.ts:2: if (a < b) c;  →  if (a <= b) c;",
    );
  });
});

describe("withSwitches", () => {
  /** The results of a function without mutations, and with each of them switched on. */
  function resultsOf(body: string): unknown[] {
    const text = `function f(a, b, c) { ${body} }`;
    const switched = withSwitches(text, new Map(mutationsOf("a.ts", text).entries()));
    const run = new Function("isMutation", `${switched} return f(7, 2, undefined);`);
    return [-1, ...mutationsOf("a.ts", text).keys()].map((on) => run((number: number) => number === on));
  }

  it("changes nothing while no mutation is switched on", () => {
    expect(resultsOf("if (a > b && !c) { a += 1; } return [a - b, c ?? b];")[0]).toEqual([6, 2]);
  });

  it("switches mutations on one by one, those within others as well", () => {
    expect(resultsOf("return a + b * 3;")).toEqual([13, undefined, 1, 7 + 2 / 3, 15]);
  });

  it("leaves a statement out, also where an if has no braces", () => {
    expect(resultsOf("if (c) a = 0; else a = 1; return a;")).toEqual([1, 0, 1, 1, 1, 7, 2, undefined]);
  });

  it("keeps operands together that another operator would take apart", () => {
    expect(resultsOf("return c ?? a ?? b;")).toEqual([7, undefined, 2, 2]);
  });
});
