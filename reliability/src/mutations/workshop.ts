import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "waybill-harness/run-program.js";

/** How a run of tests ended. */
export interface TestResult {
  readonly hasPassed: boolean;
  /** Which tests failed. */
  readonly failed: string;
  /** It failed because a test, or all of them, took too long, which may as well be due to a busy machine. */
  readonly hasTimedOut: boolean;
  /** How long the slowest test took; at least that long if the run was ended. */
  readonly slowestMs: number;
}

/** Tests to run: those below a folder, after a file has changed. */
export interface TestTask {
  readonly changed?: string | undefined;
  readonly folder: string;
}

/** What the process that runs tests answers: the names of tests that failed, empty if none did, and how long the slowest took. */
export interface TestReport {
  readonly failed: string;
  readonly slowestMs: number;
}

/** A test takes a second at most: one that takes this long waits for what the mutation left out. */
const testTimeoutMs = 45_000;

/** If no test ends for so long, the mutation made a loop endless. */
const silenceMs = 90_000;

/** A time-out says something of a mutation only if all the same tests take no longer than this without it. */
const unhurriedMs = testTimeoutMs / 3;

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

  /**
   * Runs tests while a file has another text, folder by folder, until one fails. If one takes too long, the same tests must pass quickly without the
   * change: otherwise the machine may be to blame, and the change has not been noticed.
   */
  async testWith(path: string, text: string, folders: readonly string[]): Promise<TestResult> {
    for (const folder of folders) {
      const result = await this.#testChanged(path, text, folder);
      if (result.hasTimedOut && !(await this.#isQuick(folder))) return { ...result, hasPassed: true };
      if (!result.hasPassed) return result;
    }
    return { hasPassed: true, failed: "", hasTimedOut: false, slowestMs: 0 };
  }

  /** Runs the tests below a folder, until one fails. */
  async test(task: TestTask): Promise<TestResult> {
    const host = this.#host ?? (await this.#start());
    const answer = await answerOf(host, task);
    if (answer === undefined) {
      this.stop();
      return { hasPassed: false, failed: "No test ended.", hasTimedOut: true, slowestMs: silenceMs };
    }
    const { failed, slowestMs } = answer;
    const hasPassed = failed === "";
    return { hasPassed, failed, hasTimedOut: !hasPassed && slowestMs >= testTimeoutMs, slowestMs };
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
      // What files share is imported once, and as many cores are used as there are workshops. Projects have a number of their own, which no option replaces.
      env: { ...process.env, VITEST_MAX_WORKERS: "1" },
      // A group of its own, so that its workers end with it.
      detached: true,
    });
    await once(this.#host, "message");
    return this.#host;
  }

  async #testChanged(path: string, text: string, folder: string): Promise<TestResult> {
    const original = this.read(path);
    writeFileSync(join(this.#folder, path), text);
    try {
      return await this.test({ changed: path, folder });
    } finally {
      writeFileSync(join(this.#folder, path), original);
      // The host has compiled the mutation: it must not run it again.
      if (this.#host !== undefined) await this.test({ changed: path, folder: "no tests below this" });
    }
  }

  async #isQuick(folder: string): Promise<boolean> {
    const { hasPassed, slowestMs } = await this.test({ folder });
    return hasPassed && slowestMs <= unhurriedMs;
  }
}

/** What the host answers; undefined if no test ends for a long time, or the host ends. */
function answerOf(host: ChildProcess, task: TestTask): Promise<TestReport | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: TestReport | undefined) => {
      clearTimeout(deadline);
      host.off("message", receive).off("exit", end);
      resolve(answer);
    };
    const end = () => settle(undefined);
    const deadline = setTimeout(end, silenceMs);
    const receive = (message: unknown) => {
      if (message === "progress") deadline.refresh();
      else settle(message as TestReport);
    };
    host.on("message", receive).on("exit", end);
    host.send(task);
  });
}
