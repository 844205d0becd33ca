import { describe, expect, it } from "vitest";
import { audit, isClean } from "./audit.js";

const sent = [
  { id: "o-1", cents: 100 },
  { id: "o-2", cents: 200 },
];
const [first, second] = sent as [(typeof sent)[0], (typeof sent)[0]];

describe("the audit", () => {
  it("is clean if each order was handled once, in any sequence", () => {
    expect(isClean(audit(sent, [second, first]))).toBe(true);
  });

  it.each([
    ["lost", [first], ["o-2"]],
    ["repeated", [first, second, first], ["o-1"]],
    ["altered", [first, { id: "o-2", cents: 20 }], ["o-2"]],
    ["invented", [...sent, { id: "o-3", cents: 300 }], ["o-3"]],
  ] as const)("names what was %s", (finding, handled, ids) => {
    const found = audit(sent, handled);
    expect(found[finding]).toEqual(ids);
    expect(isClean(found)).toBe(false);
  });

  it("is not clean if nothing was sent", () => {
    expect(isClean(audit([], []))).toBe(false);
  });
});
