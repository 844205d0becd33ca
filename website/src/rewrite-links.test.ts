import { describe, expect, it } from "vitest";
import { rewriteLinks } from "./rewrite-links.js";

const repository = "https://example.org/blob/main/";
const pages: Readonly<Record<string, string>> = {
  "docs/a.md": "a.md",
  "docs/b.md": "b.md",
  "docs/patterns/README.md": "patterns/index.md",
  "packages/core/README.md": "packages/core.md",
};
const targets = { repository, pageOf: (path: string) => pages[path] };

describe("rewriteLinks", () => {
  it.each([
    ["docs/a.md", "[b](b.md#x)", "[b](./b.md#x)"],
    ["docs/a.md", "[core](../packages/core/README.md#limits)", "[core](./packages/core.md#limits)"],
    ["packages/core/README.md", "[a](../../docs/a.md)", "[a](../a.md)"],
    ["packages/core/README.md", `[a](${repository}docs/a.md#y)`, "[a](../a.md#y)"],
    ["docs/patterns/README.md", "[a](../a.md)", "[a](../a.md)"],
    ["docs/a.md", "[code](../examples/x.ts)", `[code](${repository}examples/x.ts)`],
    ["docs/a.md", "![screen](pictures/x.png)", "![screen](/pictures/x.png)"],
    ["packages/core/README.md", "![screen](../../docs/pictures/x.png)", "![screen](/pictures/x.png)"],
    ["docs/a.md", "[here](#below) [out](https://example.com/)", "[here](#below) [out](https://example.com/)"],
  ])("in %s changes %s to %s", (path, text, expected) => {
    expect(rewriteLinks(text, path, targets)).toBe(expected);
  });

  it("does not change code blocks", () => {
    const text = "```ts\nf[0](b.md)\n```";
    expect(rewriteLinks(text, "docs/a.md", targets)).toBe(text);
  });
});
