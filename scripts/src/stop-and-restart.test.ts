import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
/** Processes that are killed cannot run the sources, so these take what `tsc -b` made. */
const program = (name: string) => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));

describe("pnpm session-restarts", () => {
  it.runIf(existsSync(program("session-restarts")))(
    "finds every result exact after three kills",
    async () => {
      const { stdout } = await run(process.execPath, [
        program("session-restarts"),
        "--kills",
        "3",
        "--seed",
        "7",
      ]);
      expect(stdout).toContain("every result is exact");
    },
  );
});

describe("pnpm stop-under-load", () => {
  it.runIf(existsSync(program("stop-under-load")))("loses nothing and leaves nothing locked", async () => {
    // The time that it takes is for runs on a machine that has nothing else to do.
    const options = ["--times", "1", "--inflight", "300", "--deadline", "2000", "--slack", "20000"];
    const { stdout } = await run(process.execPath, [program("stop-under-load"), ...options]);
    expect(stdout).toContain("none lost, none locked");
  });
});
