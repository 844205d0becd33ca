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

it("has at most sixteen scripts, none with the name of a command of pnpm, which would run instead", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const names = Object.keys(scripts);
  expect(names.length).toBeLessThanOrEqual(16);
  // `pnpm help --all` of version 12, without `test`, which runs the script.
  const commands =
    /^(?:add|bugs|ci|clean|config|deploy|docs|doctor|env|exec|fetch|help|import|init|install|link|list|outdated|pack|patch|peers|ping|pipeline|prune|publish|rebuild|remove|repo|root|run|runtime|sbom|search|setup|star|start|stop|store|tasks|team|update|version|view|why)$/;
  expect(names.filter((name) => commands.test(name))).toEqual([]);
});
