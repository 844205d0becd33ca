import { describe, expect, it } from "vitest";
import { readInterfaces } from "./interface-table.js";
import { fillOptionTables } from "./page-tables.js";

const source = `
interface Shared {
  /** Inherited. */
  readonly last?: boolean;
}
/** Not this. */
export interface BoxOptions extends Shared {
  /**
   * How wide, in cells: {@link Shared}.
   * Default 8.
   */
  readonly width?: number | undefined;
  readonly mode?: "a" | "b";
}`;

const interfaces = new Map(readInterfaces("box.ts", source).map((one) => [one.name, one]));

describe("fillOptionTables", () => {
  it("writes a row per option with its type and doc comment, inherited options last", () => {
    expect(fillOptionTables("x\n<!-- options BoxOptions -->\nold\n<!-- /options -->\ny", interfaces)).toBe(
      `x
<!-- options BoxOptions -->

| option | type | what it does |
|---|---|---|
| \`width\` | \`number\` | How wide, in cells: \`Shared\`. Default 8. |
| \`mode\` | \`"a" \\| "b"\` |  |
| \`last\` | \`boolean\` | Inherited. |

<!-- /options -->
y`,
    );
  });

  it("joins the rows of several interfaces", () => {
    const page = fillOptionTables("<!-- options Shared BoxOptions -->\n<!-- /options -->", interfaces);
    expect([...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual([
      "last",
      "width",
      "mode",
      "last",
    ]);
  });

  it("refuses an interface that does not exist", () => {
    expect(() => fillOptionTables("<!-- options No -->\n<!-- /options -->", interfaces)).toThrow(
      'There is no interface "No".',
    );
  });
});
