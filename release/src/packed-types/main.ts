import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { run } from "waybill-harness/run-program.js";
import { openConsumer } from "../pack/consumer.js";
import { publishedPackages } from "../workspace.js";
import { consumerSource, entryPointsSource } from "./consumer-source.js";
import { type Framework, frameworks } from "./frameworks.js";

// Packs every package, installs the tarballs with npm into an empty folder outside the workspace, and compiles a user's program there, with all
// entry points: under each TypeScript, module setting and version of Node's types, without DOM, and with the declarations of all libraries
// checked. Packages for a framework are compiled beside each of its versions, in a folder of their own. Arguments choose compilers, such as `7`; without any all take their turn. Exits with 1 when one does not compile.

const chosen = process.argv.slice(2);
const compilers = ["5.7", "5.9", "7"].filter((version) => chosen.length === 0 || chosen.includes(version));
const nodeTypes = ["20", "22", "24"];
const settings = {
  node16: { module: "node16" },
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
};

using consumer = await openConsumer("types");
const { folder } = consumer;
const failed: string[] = [];
let count = 0;
/** They have a folder and a program of their own each. */
const ofFrameworks = new Set(frameworks.flatMap(({ packages }) => packages.slice(0, 1)));

await install();
for (const version of nodeTypes) {
  await useNodeTypes(version);
  for (const [name, setting] of Object.entries(settings)) {
    await writeFile(join(folder, "tsconfig.json"), tsconfig(setting));
    for (const compiler of compilers)
      await compile(`TypeScript ${compiler}, ${name}, @types/node ${version}`, compiler, folder);
  }
}
for (const framework of frameworks) await compileFor(framework);

console.log(`${count - failed.length} of ${count} combinations compile.`);
if (failed.length > 0 || count === 0) process.exitCode = 1;

async function install(): Promise<void> {
  const names = publishedPackages()
    .map(({ directory }) => basename(directory))
    .filter((name) => !ofFrameworks.has(name));
  const tools = [
    ...compilers.map((version) => `typescript-${version}@npm:typescript@${version}`),
    ...nodeTypes.map((version) => `node-types-${version}@npm:@types/node@${version}`),
  ];
  await consumer.install(names, [...tools, "@azure/service-bus@7"]);
  await writeFile(join(folder, "entry-points.ts"), entryPointsSource(names));
  await writeFile(join(folder, "consumer.ts"), consumerSource);
}

/** Libraries find it where `@types/node` would be. */
async function useNodeTypes(version: string): Promise<void> {
  const types = join(folder, "node_modules/@types");
  await mkdir(types, { recursive: true });
  await rm(join(types, "node"), { recursive: true, force: true });
  await symlink(join(folder, "node_modules", `node-types-${version}`), join(types, "node"));
}

/** Compiles a framework's program in a folder of its own: npm installs one version of a framework. */
async function compileFor({ name, packages, others, source }: Framework): Promise<void> {
  using own = await openConsumer("framework-types");
  const tools = compilers.map((version) => `typescript-${version}@npm:typescript@${version}`);
  await own.install(packages, [...tools, ...others, "@types/node@22"]);
  await writeFile(join(own.folder, "consumer.ts"), source);
  // The frameworks' own declarations need DOM, and do not compile under every setting.
  const lenient = {
    lib: ["es2023", "esnext.disposable", "dom"],
    skipLibCheck: true,
    experimentalDecorators: true,
  };
  await writeFile(
    join(own.folder, "tsconfig.json"),
    tsconfig({ ...settings.nodenext, ...lenient }, ["consumer.ts"]),
  );
  for (const compiler of compilers) await compile(`TypeScript ${compiler}, ${name}`, compiler, own.folder);
}

function tsconfig(setting: object, files = ["entry-points.ts", "consumer.ts"]): string {
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    ...setting,
  };
  return JSON.stringify({ compilerOptions, files });
}

async function compile(name: string, compiler: string, folder: string): Promise<void> {
  count++;
  const startMs = performance.now();
  const outcome = await run(
    process.execPath,
    [join(folder, "node_modules", `typescript-${compiler}`, "bin/tsc"), "-p", folder],
    { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
  ).then(
    () => undefined,
    (error: { readonly stdout?: string }) => error.stdout ?? String(error),
  );
  console.log(
    `${outcome === undefined ? "ok  " : "FAIL"} ${name} (${Math.round(performance.now() - startMs)} ms)`,
  );
  if (outcome === undefined) return;
  failed.push(name);
  console.log(outcome.split("\n").slice(0, 40).join("\n"));
}
