import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** What came of the tests under one release of Node. */
export interface TestRun {
  /** Without the `v`. */
  readonly version: string;
  readonly passed: number;
  /** The name of each test that failed, and the first line of why. */
  readonly failures: readonly string[];
  /** False where the time was up before all had run. */
  readonly isWhole: boolean;
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

/** Runs the tests of packages under a Node, whose children find it as `node`, too. */
export async function runTests(
  node: string,
  packages: readonly string[],
  timeoutMs: number,
): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-node-"));
  const file = join(folder, "report.json");
  const startMs = performance.now();
  try {
    const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
    const version = await outputOf(node, ["-p", "process.versions.node"], env);
    const child = spawn(
      node,
      [
        join(root, "node_modules", "vitest", "vitest.mjs"),
        "run",
        ...["--project", "all", "--reporter=json", `--outputFile=${file}`],
        ...packages.map((name) => `packages/${name}/`),
      ],
      { cwd: root, env, stdio: ["ignore", "ignore", "inherit"] },
    );
    const timer = setTimeout(() => child.kill(), timeoutMs);
    await once(child, "close");
    clearTimeout(timer);
    const isWhole = existsSync(file);
    const report = isWhole ? (JSON.parse(await readFile(file, "utf8")) as Report) : undefined;
    const durationMs = performance.now() - startMs;
    return {
      version,
      passed: report?.numPassedTests ?? 0,
      failures: report === undefined ? [] : failuresOf(report),
      isWhole,
      durationMs,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
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
