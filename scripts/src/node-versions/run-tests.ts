import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openScratch } from "../run/waiting.js";

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
    if (leftMs() > 0) await runVitest(node, name, file, { env, timeoutMs: leftMs() });
    if (!existsSync(file)) {
      unfinished.push(name);
      continue;
    }
    const report: Report = JSON.parse(await readFile(file, "utf8"));
    passed += report.numPassedTests;
    failures.push(...failuresOf(report));
  }
  const version = await outputOf(node, ["-p", "process.versions.node"], env);
  return { version, passed, failures, unfinished, durationMs: performance.now() - startMs };
}

/** Runs the tests of one package, and writes vitest's report to a file: none when the time is up before. */
async function runVitest(
  node: string,
  name: string,
  file: string,
  { env, timeoutMs }: { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number },
): Promise<void> {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = ["run", "--project", "all", "--reporter=json", `--outputFile=${file}`, `packages/${name}/`];
  const child = spawn(node, [vitest, ...args], { cwd: root, env, stdio: ["ignore", "ignore", "inherit"] });
  const timer = setTimeout(() => child.kill(), timeoutMs);
  await once(child, "close");
  clearTimeout(timer);
}

async function outputOf(node: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(node, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) text += chunk;
  return text.trim();
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
