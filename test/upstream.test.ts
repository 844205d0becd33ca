import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root } from "./workspace-packages.js";

const folder = `${root}docs/upstream/`;
const programs = readdirSync(folder).filter((name) => name.endsWith(".js") && name !== "service.js");

describe("the reproductions of upstream faults", () => {
  // When one of these fails, the fault is fixed, and its workaround in the transport can be removed.
  it.concurrent.each(programs)("%s shows its fault", async (program) => {
    const ended = promisify(execFile)(process.execPath, [program], { cwd: folder, timeout: 110_000 });
    await expect(ended).rejects.toMatchObject({ code: 1, stdout: expect.stringMatching(/^fault: /) });
  });
});
