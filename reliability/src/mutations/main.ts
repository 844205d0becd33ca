import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { openScratch } from "waybill-harness/waiting.js";
import { conclude } from "../ledger/verdict.js";
import { describeMutation, type Mutation, mutated, mutationsOf } from "./mutate.js";
import { knownSurvivors } from "./survivors.js";
import { Workshop } from "./workshop.js";

// Changes one place of the code at a time and runs its tests, the nearest first: one must fail. The places are a sample, the same for the same seed.
// Works on clones of the last commit, which need not be built. Fails if fewer than 95 % of the mutations are noticed; those that no test can notice
// are listed in `survivors.ts`, each with its reason, and count as well.

const { mutants, seed, workers, rooms } = readOptions({
  mutants: 200,
  seed: newSeed(),
  workers: 2,
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
  readonly text: string;
}

const repository = fileURLToPath(new URL("../../../", import.meta.url));
using root = openScratch("mutations");
const workshops = await Promise.all(
  Array.from({ length: workers }, (_, at) => Workshop.open(repository, join(root.path, String(at)))),
);
const [first] = workshops;
if (first === undefined) throw new TypeError("workers must be at least 1.");
const queue = sample(first);
console.log(`mutations: ${queue.length} of ${rooms}, seed ${seed}`);
const packages = new Set(queue.map(({ path }) => packageOf(path)));
await requirePassing(first);
const unnoticed: string[] = [];
let noticed = 0;
/** Of those, the ones that were noticed because a test never ended. */
let timedOut = 0;
await Promise.all(workshops.map(work));
for (const workshop of workshops) {
  await requirePassing(workshop);
  workshop.stop();
}

const total = noticed + unnoticed.length;
const excused = unnoticed.filter((description) => knownSurvivors.has(withoutLine(description)));
const percent = ((100 * noticed) / total).toFixed(1);
console.log(
  `${noticed} of ${total} mutations noticed (${percent} %), ${timedOut} of them by time-outs, ${excused.length} of the others known`,
);
const isEnough = noticed + excused.length >= wanted * total;
conclude(
  isEnough ? [] : unnoticed.filter((each) => !excused.includes(each)),
  "The tests notice mutations",
  seed,
);

/** Without mutations, and again when all are undone: otherwise every mutation would be noticed. */
async function requirePassing(workshop: Workshop): Promise<void> {
  for (const folder of packages) {
    const { hasPassed, failed } = await workshop.test({ folder });
    if (!hasPassed) throw new Error(`The tests of ${folder} fail without any mutation: ${failed}`);
  }
}

/** A sample of all mutations of the rooms. */
function sample(workshop: Workshop): Mutant[] {
  const random = randomFrom(seed);
  const all = rooms
    .split(",")
    .flatMap((room) => sourcesIn(room).flatMap((path) => mutantsOf(workshop, path)));
  return Array.from({ length: Math.min(mutants, all.length) }, () =>
    all.splice(random(all.length), 1),
  ).flat();
}

function sourcesIn(room: string): string[] {
  return readdirSync(join(repository, room), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.test(?:-d|-support)?\.ts$/.test(path))
    .map((path) => join(room, path))
    .sort();
}

function mutantsOf(workshop: Workshop, path: string): Mutant[] {
  const text = workshop.read(path);
  return mutationsOf(path, text).map((mutation) => ({ path, mutation, text }));
}

async function work(workshop: Workshop): Promise<void> {
  for (let mutant = queue.pop(); mutant !== undefined; mutant = queue.pop()) {
    const { path, mutation, text } = mutant;
    const changed = mutated(text, mutation);
    const { hasPassed, hasTimedOut } = await workshop.testWith(path, changed, foldersFrom(path));
    const why = hasTimedOut ? "the machine is too busy to tell" : "no test fails";
    if (hasPassed) survived(describeMutation(path, text, mutation), why);
    else noticed++;
    if (hasTimedOut && !hasPassed) timedOut++;
    const left = queue.length;
    if (left % 20 === 0) console.log(`${left} left, ${unnoticed.length} not noticed`);
  }
}

function survived(description: string, why: string): void {
  unnoticed.push(description);
  console.log(`${description}\n  ${knownSurvivors.get(withoutLine(description)) ?? why}`);
}

/** The folders whose tests are run: the file's own, those around it, and the whole package. */
function foldersFrom(path: string): string[] {
  const whole = packageOf(path);
  const folders: string[] = [];
  for (let folder = dirname(path); folder.length > `${whole}src`.length; folder = dirname(folder))
    folders.push(`${folder}/`);
  return [...folders, whole];
}

function withoutLine(description: string): string {
  return description.replace(/:\d+: /, ": ");
}

function packageOf(path: string): string {
  return path.slice(0, path.indexOf("/src/") + 1);
}
