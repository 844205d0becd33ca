import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestSpecification } from "vitest/node";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { conclude } from "../ledger/verdict.js";
import { describeMutation, type Mutation, mutationsOf } from "./mutate.js";
import { knownSurvivors } from "./survivors.js";
import { TestRuns } from "./test-runs.js";

// Changes one place of the code at a time and runs the tests of its package that come to this place, the nearest first: one must fail. The places are a
// sample, the same for the same seed. Fails if fewer than 95 % of the mutations are noticed; those that no test can notice are listed in
// `survivors.ts`, each with its reason, and count as well.

const { mutants, seed, rooms } = readOptions({
  mutants: 300,
  seed: newSeed(),
  rooms: [
    "packages/core/src/receive/delivery",
    "packages/core/src/receive/holding",
    "packages/core/src/receive/circuit-breaker",
    "packages/core/src/message-types",
    "packages/migration/src",
  ].join(),
});
/** The share of mutations that tests must notice. */
const wanted = 0.95;

interface Mutant {
  readonly path: string;
  readonly mutation: Mutation;
  readonly description: string;
}

/** A test file without mutations. */
interface TestFile {
  readonly file: TestSpecification;
  readonly path: string;
  readonly tookMs: number;
  readonly reached: ReadonlySet<number>;
}

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const texts = new Map(
  rooms
    .split(",")
    .flatMap(sourcesIn)
    .map((path) => [path, readFileSync(join(repository, path), "utf8")]),
);
const all = [...texts].flatMap(([path, text]) => mutantsOf(path, text));
const sample = chosen([...all]);
console.log(`mutations: ${sample.length} of ${rooms}, seed ${seed}`);
const runs = await TestRuns.open(repository, mutatedFiles(), seed);
const tests = await testsWithout();
console.log(`${tests.length} test files pass without mutations`);
/** The test file that noticed a mutation last, by the mutated file. */
const lastNoticedBy = new Map<string, TestFile>();
const unnoticed: string[] = [];
let noticed = 0;
let endless = 0;
let listed = 0;
for (const [number, mutant] of sample.entries()) {
  await tryMutant(mutant, number);
  if (number % 20 === 19) console.log(`${number + 1} tried, ${unnoticed.length} not noticed`);
}
await runs.close();

const percent = ((100 * noticed) / sample.length).toFixed(1);
console.log(
  `${noticed} of ${sample.length} mutations noticed (${percent} %), ${endless} of them because a test did not end, and ${listed} others listed`,
);
const isEnough = noticed + listed >= wanted * sample.length;
conclude([...goneFromCode(), ...(isEnough ? [] : unnoticed)], "The tests notice mutations", seed);

/** Notes whether a test notices a mutation. */
async function tryMutant({ path, description }: Mutant, number: number): Promise<void> {
  if (knownSurvivors.has(withoutLine(description))) {
    listed++;
    return;
  }
  const reaching = tests.filter(({ reached }) => reached.has(number));
  for (const test of inOrder(reaching, path)) {
    const { failed, isEndless } = await runs.run(test.file, number);
    if (failed === "") continue;
    lastNoticedBy.set(path, test);
    noticed++;
    if (isEndless) endless++;
    return;
  }
  unnoticed.push(description);
  console.log(`${description}\n  ${reaching.length === 0 ? "no test comes here" : "no test fails"}`);
}

/** First what noticed another mutation of the file, then what is nearest to it, then what is quickest. */
function inOrder(files: readonly TestFile[], mutated: string): TestFile[] {
  const distance = (test: TestFile) =>
    test === lastNoticedBy.get(mutated) ? -1 : relative(dirname(mutated), test.path).split("../").length;
  return files.toSorted((a, b) => distance(a) - distance(b) || a.tookMs - b.tookMs);
}

/** The tests of the packages must pass without mutations: otherwise each mutation would be noticed. */
async function testsWithout(): Promise<TestFile[]> {
  const found: TestFile[] = [];
  for (const folder of new Set(sample.map(({ path }) => packageOf(path)))) {
    for (const file of await runs.filesIn(folder)) {
      const path = relative(repository, file.moduleId);
      const { failed, reached, tookMs } = await runs.run(file);
      if (failed !== "") throw new Error(`${path} fails without any mutation: ${failed}`);
      found.push({ file, path, tookMs, reached: new Set(reached) });
    }
  }
  return found;
}

function chosen(all: Mutant[]): Mutant[] {
  const random = randomFrom(seed);
  return Array.from({ length: Math.min(mutants, all.length) }, () =>
    all.splice(random(all.length), 1),
  ).flat();
}

/** Listed mutations that there are not any more, because the code has changed. */
function goneFromCode(): string[] {
  const possible = new Set(all.map(({ description }) => withoutLine(description)));
  const listedHere = [...knownSurvivors.keys()].filter((each) => texts.has(each.slice(0, each.indexOf(":"))));
  return listedHere
    .filter((each) => !possible.has(each))
    .map((each) => `survivors.ts lists what is no mutation any more: ${each}`);
}

function sourcesIn(room: string): string[] {
  return readdirSync(join(repository, room), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.test(?:-d|-support)?\.ts$/.test(path))
    .map((path) => join(room, path))
    .sort();
}

function mutantsOf(path: string, text: string): Mutant[] {
  return mutationsOf(path, text).map((mutation) => ({
    path,
    mutation,
    description: describeMutation(path, text, mutation),
  }));
}

/** The sources with their mutations, whose numbers are their places in the sample. */
function mutatedFiles() {
  return new Map(
    [...texts].map(([path, text]) => {
      const mutations = [...sample.entries()]
        .filter(([, mutant]) => mutant.path === path)
        .map(([number, { mutation }]) => [number, mutation] as const);
      return [path, { text, mutations: new Map(mutations) }];
    }),
  );
}

function withoutLine(description: string): string {
  return description.replace(/:\d+: /, ": ");
}

function packageOf(path: string): string {
  return path.slice(0, path.indexOf("/src/") + 1);
}
