import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "waybill-harness/run-program.js";

/** How a run of tests ended. */
export type TestResult = "passed" | "failed" | "timed out";

/** A test run longer than this does not end by itself: the mutation made a loop endless. */
const timeoutMs = 600_000;

/** A clone of the repository's last commit, in which files are changed and tests are run. */
export class Workshop {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Clones the repository into a folder, and installs what it needs. */
  static async open(repository: string, folder: string): Promise<Workshop> {
    await run("git", ["clone", "--quiet", "--shared", repository, folder]);
    await run("npx", ["-y", "pnpm@12", "install", "--frozen-lockfile"], { cwd: folder });
    return new Workshop(folder);
  }

  read(path: string): string {
    return readFileSync(join(this.#folder, path), "utf8");
  }

  /** Runs tests while a file has another text, the nearest ones first, until one fails. */
  async testWith(path: string, text: string, filters: readonly string[]): Promise<TestResult> {
    const original = this.read(path);
    writeFileSync(join(this.#folder, path), text);
    try {
      for (const filter of filters) {
        const result = await this.test(filter);
        if (result !== "passed") return result;
      }
      return "passed";
    } finally {
      writeFileSync(join(this.#folder, path), original);
    }
  }

  /** Runs the tests below a path, until one fails. */
  async test(filter: string): Promise<TestResult> {
    const args = ["exec", "vitest", "run", "--bail", "1", "--passWithNoTests", "--reporter", "dot", filter];
    const child = spawn("npx", ["-y", "pnpm@12", ...args], {
      cwd: this.#folder,
      stdio: "ignore",
      detached: true,
    });
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, timeoutMs);
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(deadline);
    if (isLate) return "timed out";
    return code === 0 ? "passed" : "failed";
  }
}
