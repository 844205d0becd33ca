import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { type Cell, tableText } from "./table-text.js";

function table(head: readonly string[], rows: readonly (readonly Cell[])[], width = 40): string {
  return [...tableText(head, rows, { width, yielding: [], bold: (text) => text })].join("\n");
}

const family = "👨‍👩‍👧‍👦";

describe("a table", () => {
  it("aligns columns by their width on the screen", () => {
    expect(
      table(
        ["ID", "SUBJECT"],
        [
          ["注文", "a"],
          [family, "b"],
          ["e\u0301", "c"],
        ],
      ),
    ).toBe(["ID    SUBJECT", "注文  a", `${family}    b`, "e\u0301     c"].join("\n"));
  });

  it("fits the terminal, and splits no character", () => {
    const subject = "注文".repeat(20) + family.repeat(10) + "e\u0301".repeat(20);
    const text = table(["NUMBER", "SUBJECT"], [[1, subject]], 30);
    for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(30);
    const cells = text
      .split("\n")
      .slice(1)
      .map((line) => line.slice("NUMBER  ".length));
    expect(cells.join("")).toBe(subject);
  });

  it("ends lines between words, and after the marks of names", () => {
    const text = table(
      ["QUEUE", "WHY"],
      [["orders/$DeadLetterQueue", "It looks like MessagePack: add msgpack()"]],
      34,
    );
    expect(text.split("\n")).toEqual([
      "QUEUE             WHY",
      "orders/           It looks like",
      "$DeadLetterQueue  MessagePack: add",
      "                  msgpack()",
    ]);
  });

  it("ends the line of an instant before its time", () => {
    const text = table(["A", "B", "AT"], [["12345678", "12345678", new Date(0)]], 34);
    expect(text.split("\n").slice(1)).toEqual([
      "12345678  12345678  1970-01-01T",
      "                    00:00:00Z",
    ]);
  });

  it("writes a block for each row where the terminal is too narrow for all columns", () => {
    expect(
      table(
        ["NUMBER", "SUBJECT", "STATE"],
        [
          [1, "order-placed", "active"],
          [2, undefined, "deferred"],
        ],
        20,
      ),
    ).toBe("NUMBER 1\nSUBJECT order-placed\nSTATE active\n\nNUMBER 2\nSTATE deferred\n");
  });

  it("writes what would turn the direction of the text as an escape", () => {
    expect(table(["SUBJECT"], [["a\u202eb\u061cc"]])).toBe("SUBJECT\na\\u202eb\\u061cc");
  });
});
