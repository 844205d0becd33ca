import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("asks for the oldest Node release that it supports", () => {
  const root = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(root.engines.node).toBe(">=20.19.0");
});
