import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("prints the comment at its end", { timeout: 60_000 }, () => {
  const source = readFileSync(new URL("main.ts", import.meta.url), "utf8");
  const said = source.match(/^\/\/ .*$/gm)!.map((line) => line.slice(3));
  const program = fileURLToPath(new URL("../dist/main.js", import.meta.url));
  const output = execFileSync(process.execPath, [program], { encoding: "utf8" });
  expect(output.trim().split("\n")).toEqual(said);
});
