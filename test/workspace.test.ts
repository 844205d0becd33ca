import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { slowFiles } from "./slow-first.js";

it("requires the oldest Node release that it supports", () => {
  const root = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(root.engines.node).toBe(">=20.19.0");
});

it("begins with slow tests that exist", () => {
  const missing = slowFiles.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)));
  expect(missing).toEqual([]);
});
