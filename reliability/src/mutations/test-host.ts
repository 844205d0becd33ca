import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TestTask } from "./workshop.js";

// Runs tests of the clone in its working directory, again and again: what does not change is compiled once. Answers each message, which names a
// changed file and a folder, with the name of a test of the folder that fails, or with an empty one. Argument: how long a test may take, in milliseconds.

const root = process.cwd();
// Its own copy: the tests import that, too.
const vitestModule = pathToFileURL(join(root, "node_modules/vitest/dist/node.js")).href;
const { createVitest } = (await import(vitestModule)) as typeof import("vitest/node");
const vitest = await createVitest("test", {
  root,
  watch: false,
  bail: 1,
  // What files share is imported once; the runner uses as many cores as it has workshops.
  maxWorkers: 1,
  testTimeout: Number(process.argv[2]),
  silent: true,
  reporters: [{}],
});
process.on("message", (task: TestTask) => void run(task).then((failed) => process.send?.(failed)));
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function run({ changed, folder }: TestTask): Promise<string> {
  if (changed !== undefined) vitest.invalidateFile(join(root, changed));
  const specifications = await vitest.globTestSpecifications([folder]);
  if (specifications.length === 0) return "";
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // The results of earlier runs are among them.
  const ofThisRun = new Set(specifications.map(({ moduleId }) => moduleId));
  const failed = testModules.find((module) => ofThisRun.has(module.moduleId) && !module.ok());
  if (failed === undefined) return unhandledErrors.map(String).join();
  const tests = [...failed.children.allTests("failed")].map(({ fullName }) => fullName);
  return `${failed.moduleId} ${tests.join()}`;
}
