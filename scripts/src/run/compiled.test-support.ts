import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, it } from "vitest";

const run = promisify(execFile);

/** A script compiled by `tsc -b`: the processes that it starts cannot run the sources. */
export function compiled(name: string) {
  const program = fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
  return {
    isThere: existsSync(program),
    /** Its output. Rejects if it exits with an error. */
    async run(...args: readonly string[]): Promise<string> {
      return (await run(process.execPath, [program, ...args])).stdout;
    },
  };
}

/** A short run of a script: its name, what it shows, its options, and its output. */
export type ShortRun = readonly [script: string, statement: string, options: string, printed: string];

/**
 * Tests of scripts with short runs, each of which has to end without an error. They run the output of `tsc -b` concurrently, since most of the
 * time is waiting.
 */
export function describeRuns(runs: readonly ShortRun[]): void {
  describe.concurrent.each(runs)("pnpm %s", (script, statement, options, printed) => {
    const program = compiled(script);
    it.runIf(program.isThere)(statement, { timeout: 120_000 }, async ({ expect }) => {
      expect(await program.run(...options.split(" "))).toContain(printed);
    });
  });
}
