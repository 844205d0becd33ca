import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "waybill-harness/run-program.js";

/** How a run of tests ended, and which tests failed. */
export interface TestResult {
  readonly hasPassed: boolean;
  readonly failed: string;
}

/** Tests to run: those below a folder, after a file has changed. */
export interface TestTask {
  readonly changed?: string | undefined;
  readonly folder: string;
}

/** A test takes a second at most: one that takes this long waits for what the mutation left out. The tests without mutations keep to it as well. */
const testTimeoutMs = 30_000;

/** A run that takes longer does not end by itself: the mutation made a loop endless. */
const timeoutMs = 300_000;

/** A clone of the repository's last commit, in which files are changed and tests are run. */
export class Workshop {
  readonly #folder: string;
  #host: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Clones the repository into a folder, installs what it needs, and compiles it, because some tests start programs. */
  static async open(repository: string, folder: string): Promise<Workshop> {
    await run("git", ["clone", "--quiet", "--shared", repository, folder]);
    await run("npx", ["-y", "pnpm@12", "install", "--frozen-lockfile"], { cwd: folder });
    await run("npx", ["-y", "pnpm@12", "exec", "tsc", "-b"], { cwd: folder });
    return new Workshop(folder);
  }

  read(path: string): string {
    return readFileSync(join(this.#folder, path), "utf8");
  }

  /** Runs tests while a file has another text, folder by folder, until one fails. */
  async testWith(path: string, text: string, folders: readonly string[]): Promise<TestResult> {
    const original = this.read(path);
    writeFileSync(join(this.#folder, path), text);
    try {
      for (const folder of folders) {
        const result = await this.test({ changed: path, folder });
        if (!result.hasPassed) return result;
      }
      return { hasPassed: true, failed: "" };
    } finally {
      writeFileSync(join(this.#folder, path), original);
      await this.#forget(path);
    }
  }

  /** Runs the tests below a folder, until one fails. */
  async test(task: TestTask): Promise<TestResult> {
    const host = this.#host ?? (await this.#start());
    const listening = new AbortController();
    const { signal } = listening;
    const answered = once(host, "message", { signal }).then(([failed]) => String(failed));
    const ended = once(host, "exit", { signal }).then(() => undefined);
    host.send(task);
    const deadline = setTimeout(() => this.stop(), timeoutMs);
    const failed = await Promise.race([answered, ended]);
    clearTimeout(deadline);
    for (const other of [answered, ended]) other.catch(() => {});
    listening.abort();
    if (failed !== undefined) return { hasPassed: failed === "", failed };
    this.stop();
    return { hasPassed: false, failed: "The run did not end." };
  }

  /** Ends its processes. */
  stop(): void {
    const { pid } = this.#host ?? {};
    this.#host = undefined;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  }

  async #start(): Promise<ChildProcess> {
    const program = fileURLToPath(new URL("./test-host.js", import.meta.url));
    this.#host = spawn(process.execPath, [program, String(testTimeoutMs)], {
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // A group of its own, so that its workers end with it.
      detached: true,
    });
    await once(this.#host, "message");
    return this.#host;
  }

  /** The host has compiled the mutation: it must not run it again. */
  async #forget(path: string): Promise<void> {
    if (this.#host !== undefined) await this.test({ changed: path, folder: "no tests below this" });
  }
}
