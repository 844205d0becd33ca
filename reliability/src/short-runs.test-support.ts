import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import type { programs } from "./programs.js";

const run = promisify(execFile);
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** Whether `tsc -b` has compiled the programs: the processes that they start cannot run the sources. */
export const isCompiled = existsSync(main);

/** The output of a program's quick run. Rejects if it exits with an error. */
export async function runQuickly(name: keyof typeof programs): Promise<string> {
  return (await run(process.execPath, [main, name, "--quick"])).stdout;
}

/** A quick run of a program: its name, what it shows, and a part of its output. */
export type QuickRun = readonly [name: keyof typeof programs, statement: string, printed: string];

/**
 * Tests of programs with quick runs, each of which has to end without an error. They run the output of `tsc -b` concurrently, since most of the
 * time is waiting.
 */
export function describeRuns(runs: readonly QuickRun[]): void {
  describe.concurrent.each(runs)("pnpm reliability %s", (name, statement, printed) => {
    it.runIf(isCompiled)(statement, { timeout: 120_000 }, async ({ expect }) => {
      expect(await runQuickly(name)).toContain(printed);
    });
  });
}
