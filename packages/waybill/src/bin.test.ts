import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("is the command of @waybill/cli", () => {
  const run = (path: string) =>
    execFileSync(process.execPath, [fileURLToPath(new URL(path, import.meta.url)), "send", "--help"], {
      encoding: "utf8",
    });
  expect(run("../dist/bin.js")).toBe(run("../../cli/dist/bin.js"));
});
