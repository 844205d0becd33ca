import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "waybill-harness/run-program.js";
import { openScratch } from "waybill-harness/waiting.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The outcome of the tests under one release of Node. */
export interface TestRun {
  /** Without the `v`. */
  readonly version: string;
  readonly passed: number;
  /** The name of each test that failed, and the first line of why. */
  readonly failures: readonly string[];
  /** The packages whose tests had not ended when the time was up. */
  readonly unfinished: readonly string[];
  readonly durationMs: number;
}

/** The part of vitest's JSON that is read. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs the tests of packages, one after the other, under a Node, whose children find it as `node`, too. */
export async function runTests(
  node: string,
  packages: readonly string[],
  timeoutMs: number,
): Promise<TestRun> {
  using scratch = openScratch("node");
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const startMs = performance.now();
  const leftMs = () => startMs + timeoutMs - performance.now();
  const failures: string[] = [];
  const unfinished: string[] = [];
  let passed = 0;
  for (const name of packages) {
    const file = join(scratch.path, `${name}.json`);
    const timeout = Math.ceil(leftMs());
    if (timeout > 0) await runVitest(node, name, file, { env, timeout });
    if (!existsSync(file)) {
      unfinished.push(name);
      continue;
    }
    const report: Report = JSON.parse(await readFile(file, "utf8"));
    passed += report.numPassedTests;
    failures.push(...failuresOf(report));
  }
  const { stdout } = await run(node, ["-p", "process.versions.node"], { env });
  return { version: stdout.trim(), passed, failures, unfinished, durationMs: performance.now() - startMs };
}

/** Runs the tests of one package, and writes vitest's report to a file: none when the time is up before. */
async function runVitest(
  node: string,
  name: string,
  file: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly timeout: number },
): Promise<void> {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = ["run", "--project", "all", "--reporter=json", `--outputFile=${file}`, `packages/${name}/`];
  const stdio: StdioOptions = ["ignore", "ignore", "inherit"];
  await once(spawn(node, [vitest, ...args], { cwd: root, stdio, ...options }), "close");
}

function failuresOf({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((each) => each.status === "failed");
    // A file that cannot be loaded has no test that failed.
    if (status === "failed" && failed.length === 0) return [`${name}: ${firstLine(message)}`];
    return failed.map(({ fullName, failureMessages }) => `${fullName}: ${firstLine(failureMessages[0])}`);
  });
}

function firstLine(text = ""): string {
  return text.split("\n")[0] ?? "";
}
