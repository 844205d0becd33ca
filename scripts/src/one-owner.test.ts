import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
/** The processes cannot run the sources, so this takes what `tsc -b` made. */
const program = fileURLToPath(new URL("../dist/one-owner.js", import.meta.url));
const obstacle = !existsSync(program)
  ? "it is not compiled"
  : spawnSync("unshare", ["-pfm", "--mount-proc", "true"]).status === 0
    ? undefined
    : "this computer does not let `unshare` make process namespaces";

describe("pnpm one-owner", () => {
  const name = "lets one of two process namespaces have a store, and starts on no full or read-only disk";
  it.runIf(obstacle === undefined)(
    obstacle === undefined ? name : `${name} (skipped: ${obstacle})`,
    async () => {
      const { stdout } = await run(process.execPath, [program]);
      expect(stdout).toContain("One owner");
    },
    60_000,
  );
});
