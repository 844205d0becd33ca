import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A script as `tsc -b` made it: the processes that it starts cannot run the sources. */
export function compiled(name: string) {
  const program = fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
  return {
    isThere: existsSync(program),
    /** What it prints. Rejects when it exits with an error. */
    async run(...args: readonly string[]): Promise<string> {
      return (await run(process.execPath, [program, ...args])).stdout;
    },
  };
}
