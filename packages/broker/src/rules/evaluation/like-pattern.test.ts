import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { text } from "../../../test/sql-arbitraries.js";
import { compileLike } from "./like-pattern.js";
import { RuleEvaluationError } from "./rule-error.js";
import { beginRule } from "./rule-work.js";

function like(value: string, pattern: string, escapeCharacter?: string): boolean {
  beginRule();
  const matches = compileLike(pattern, escapeCharacter);
  if (matches === undefined) throw new Error("incomplete pattern");
  return matches(value);
}

/** CPU time of this process, which does not depend on other processes. */
const computedMs = (): number => process.cpuUsage().user / 1000;

/** The same pattern as a regular expression. */
function referenceLike(value: string, pattern: string, escapeCharacter: string): boolean {
  const source = pattern.replace(/\\(.)|[^\\]/gs, (piece, escaped: string | undefined) => {
    if (escaped !== undefined) return `\\u{${(escaped.codePointAt(0) ?? 0).toString(16)}}`;
    return piece === "%" ? ".*" : piece === "_" ? "." : `\\u{${(piece.codePointAt(0) ?? 0).toString(16)}}`;
  });
  expect(escapeCharacter).toBe("\\");
  return new RegExp(`^${source}$`, "su").test(value);
}

describe("compileLike", () => {
  it("matches the whole text", () => {
    expect([like("order", "order"), like("orders", "order"), like("an order", "order")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("matches any number of characters with %, also none", () => {
    expect([like("bus", "%bus%"), like("omnibuses", "%bus%"), like("b us", "%bus%")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([like("ab", "a%b"), like("a--b", "a%b"), like("a--c", "a%b")]).toEqual([true, true, false]);
    expect([like("", "%"), like("", ""), like("x", "")]).toEqual([true, true, false]);
  });

  it("matches exactly one character with _", () => {
    expect([like("cat", "c_t"), like("ct", "c_t"), like("coat", "c_t")]).toEqual([true, false, false]);
    expect([like("xaby", "%a_y"), like("xacby", "%_a_b_")]).toEqual([true, true]);
  });

  it("does not match overlapping ends", () => {
    expect([like("aba", "ab%ba"), like("abba", "ab%ba")]).toEqual([false, true]);
  });

  it("matches the character after the escape character literally", () => {
    expect([like("ABC%", "ABC\\%", "\\"), like("ABCD", "ABC\\%", "\\"), like("a!b", "a!!b", "!")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("is case-sensitive", () => {
    expect(like("Bus", "%bus%")).toBe(false);
  });

  it("refuses a pattern that ends in its escape character", () => {
    expect(compileLike("abc!", "!")).toBeUndefined();
  });

  it("agrees with a regular expression on random patterns", () => {
    fc.assert(
      fc.property(text("ab\n%"), text("ab\\%_\n"), (value, rawPattern) => {
        const pattern = rawPattern.replace(/\\+$/, "");
        expect(like(value, pattern, "\\")).toBe(referenceLike(value, pattern, "\\"));
      }),
      { numRuns: 5_000 },
    );
  });

  it("stays fast on patterns that make regular expressions backtrack", () => {
    const start = process.cpuUsage();
    expect(like("a".repeat(32_000), `${"%a".repeat(500)}%b`)).toBe(false);
    expect(like("a".repeat(32_000), `%${"_a".repeat(250)}b%`)).toBe(false);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000);
  });

  it("searches a text once for each part of the pattern, for any repetition", () => {
    const a = "a".repeat(60_000);
    const ab = "ab".repeat(30_000);
    const cases: [text: string, pattern: string][] = [
      [a, `%${"a_".repeat(400)}b%`],
      [a, `%b${"_a".repeat(500)}%`],
      [a, `%${"a".repeat(500)}b${"a".repeat(500)}%`],
      [a, `%b${"a".repeat(1000)}%`],
      [a, `%${"a".repeat(1000)}b%`],
      [ab, `%${"ab".repeat(250)}_${"ba".repeat(250)}c%`],
      [ab, `%${"a_".repeat(500)}b`],
      [a, `%${"a_b%".repeat(250)}`],
    ];
    for (const [text, pattern] of cases) {
      const start = computedMs();
      expect(like(text, pattern)).toBe(false);
      expect(computedMs() - start).toBeLessThan(100);
    }
  });

  it("throws when text and pattern are both long and repetitive", () => {
    const text = "a".repeat(30_000);
    const matches = compileLike(`%${"a_".repeat(15_000)}b%`, undefined);
    expect(matches?.("a".repeat(20_000))).toBe(false);
    const start = computedMs();
    expect(() => {
      for (let i = 0; i < 100; i++) compileLike(`%${"a_".repeat(7_000)}b%`, undefined)?.(text);
    }).toThrow(new RuleEvaluationError("FilterException", "LIKE compares too much text"));
    expect(computedMs() - start).toBeLessThan(500);
  });
});
