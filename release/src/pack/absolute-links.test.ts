import { expect, it } from "vitest";
import { withAbsoluteLinks } from "./absolute-links.js";

it("changes links out of a package to links into the repository, but not other links and code", () => {
  const readme =
    "[a](../../docs/a.md#b) [c](#c) [d](https://example.com/d)\n```ts\nf[0](x.md)\n```\n[e](../core/README.md)";
  expect(withAbsoluteLinks(readme, "https://example.org/r", "packages/cli")).toBe(
    "[a](https://example.org/r/blob/main/docs/a.md#b) [c](#c) [d](https://example.com/d)\n" +
      "```ts\nf[0](x.md)\n```\n[e](https://example.org/r/blob/main/packages/core/README.md)",
  );
});
