import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { steps } from "./steps.js";

const run = promisify(execFile);

// `pnpm example:coming-from-azure` runs all steps; CI runs it.
it("reads one queue with consumers of the SDK and of waybill, without losing an order", {
  timeout: 240_000,
}, async () => {
  const program = fileURLToPath(new URL("../dist/main.js", import.meta.url));
  const { stdout, stderr } = await run(process.execPath, [program, "--steps", "2"]);
  expect(stderr).toBe("");
  const played = steps.slice(0, 2);
  for (const { name } of played) expect(stdout).toContain(name);
  expect(stdout.match(/0 lost, 0 handled twice, 0 altered, 0 dead-lettered/g)).toHaveLength(2);
  expect(stdout).toMatch(/\n\d+ orders placed, 0 faults\.\n$/);
});
