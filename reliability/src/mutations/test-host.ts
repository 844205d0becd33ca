import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TestSpecification } from "vitest/node";
import type { TestReport, TestTask } from "./workshop.js";

// Runs tests of the clone in its working directory, again and again: what does not change is compiled once. Says "ready", then "progress" whenever a test
// has ended, and answers each message, which names a changed file and a folder, with a `TestReport`. Argument: how long a test may take, in milliseconds.

const root = process.cwd();
const testTimeout = Number(process.argv[2]);
// Its own copy: the tests import that, too.
const vitestModule = pathToFileURL(join(root, "node_modules/vitest/dist/node.js")).href;
const { BaseSequencer, createVitest } = (await import(vitestModule)) as typeof import("vitest/node");

/** How long each file took when it last passed, in milliseconds. */
const durations = new Map<string, number>();

/** A mutation is noticed sooner if the few files that take seconds come last. */
class FastFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durationOf = ({ moduleId }: TestSpecification) => durations.get(moduleId) ?? 0;
    return [...files].sort((a, b) => durationOf(a) - durationOf(b));
  }
}

const vitest = await createVitest("test", {
  root,
  watch: false,
  bail: 1,
  testTimeout,
  silent: true,
  sequence: { sequencer: FastFirst },
  reporters: [{ onTestCaseResult: () => void process.send?.("progress") }],
});
process.on("message", (task: TestTask) => void run(task).then((report) => process.send?.(report)));
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function run({ changed, folder }: TestTask): Promise<TestReport> {
  if (changed !== undefined) vitest.invalidateFile(join(root, changed));
  const specifications = await vitest.globTestSpecifications([folder]);
  if (specifications.length === 0) return { failed: "", slowestMs: 0 };
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // The results of earlier runs are among them.
  const ofThisRun = new Set(specifications.map(({ moduleId }) => moduleId));
  const modules = testModules.filter(({ moduleId }) => ofThisRun.has(moduleId));
  for (const module of modules) if (module.ok()) durations.set(module.moduleId, module.diagnostic().duration);
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  const slowestMs = Math.max(0, ...tests.map((test) => test.diagnostic()?.duration ?? 0));
  const failed = modules.find((module) => !module.ok());
  if (failed === undefined) return { failed: unhandledErrors.map(String).join(), slowestMs };
  const names = [...failed.children.allTests("failed")].map(({ fullName }) => fullName);
  return { failed: `${failed.moduleId} ${names.join()}`, slowestMs };
}
