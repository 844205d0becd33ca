import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { build } from "esbuild";
import { readOptions } from "waybill-harness/options.js";
import { run } from "waybill-harness/run-program.js";
import { openScratch } from "waybill-harness/waiting.js";
import { npmInstall } from "../pack/consumer.js";
import { packAll } from "../pack/pack-all.js";

// Installs @azure/event-hubs 5.8.0, whose libraries are older, then @azure/service-bus and our packed packages, so that npm gives each copies of
// its own, and runs a program there that shows that the SDK's copies are patched, and no others. Then bundles the program with esbuild
// and runs it where nothing is installed. Exits with 1 when it is not so.

const { versions } = readOptions({ versions: "7.9.2,7.9.5,7.10.0-beta.2" });
const program = fileURLToPath(new URL("./probe.js", import.meta.url));
using root = openScratch("copies");

const tarballs = await packAll(["transport-azure", "broker-server"], root.path);
for (const version of versions.split(",")) await tryVersion(version, tarballs);

async function tryVersion(version: string, tarballs: readonly string[]): Promise<void> {
  const folder = join(root.path, version);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "name": "copies", "private": true, "type": "module" }\n');
  await npmInstall(folder, ["@azure/event-hubs@5.8.0"]);
  await npmInstall(folder, [`@azure/service-bus@${version}`, ...tarballs]);
  const copies = await countCopies(folder, "rhea-promise");
  console.log(`@azure/service-bus ${version}: ${copies} copies of rhea-promise`);
  if (copies < 2) fail("npm nested no copies, so nothing was tested");
  const installed = join(folder, "probe.js");
  await cp(program, installed);
  await expectPatched(version, "installed", installed);
  const bundle = join(root.path, `bundle-${version}`, "probe.js");
  await build({
    entryPoints: [installed],
    outfile: bundle,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  await writeFile(join(root.path, `bundle-${version}`, "package.json"), '{ "type": "module" }\n');
  await expectPatched(version, "bundled", bundle);
}

async function countCopies(folder: string, name: string): Promise<number> {
  const paths = await readdir(join(folder, "node_modules"), { recursive: true });
  return paths.filter((path) => path === name || path.endsWith(`node_modules/${name}`)).length;
}

async function expectPatched(version: string, how: string, path: string): Promise<void> {
  const expected = {
    sdkVersion: version,
    isTestedVersion: true,
    skipped: [],
    peeked: "9007199254740993",
    received: "9007199254740993",
    byOthers: "9007199254740992",
    sendWhoseConnectionWasClosed: "rejected",
  };
  const seen = await probe(path);
  if (isDeepStrictEqual(seen, expected))
    console.log(`${how}: every patch is applied, and only to these copies`);
  else fail(`${how} with ${version}: ${JSON.stringify(seen)}`);
}

async function probe(path: string): Promise<unknown> {
  try {
    const { stdout } = await run(process.execPath, [path], { timeout: 60_000 });
    const { report, ...seen } = JSON.parse(stdout);
    const skipped = report.patches.filter(({ status }: { status: string }) => status !== "applied");
    return { sdkVersion: report.sdkVersion, isTestedVersion: report.isTestedVersion, skipped, ...seen };
  } catch (error) {
    // The end of what Node writes: the error, and not the line of a bundle at which it came.
    return String((error as { stderr?: unknown }).stderr ?? error).slice(-1_000);
  }
}

function fail(text: string): void {
  console.error(text);
  process.exitCode = 1;
}
