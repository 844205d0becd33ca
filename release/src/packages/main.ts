import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { packPackage, repositoryOf } from "../pack/pack-package.js";
import { manifestFindings } from "./manifest-findings.js";
import { tarballFindings } from "./tarball-findings.js";

// Packs every package as it would be published and prints the problems that its users would have. Exits with 1 on any finding.

const root = fileURLToPath(new URL("../../../", import.meta.url));
const rootManifest = await readManifest(root);
const names = (await readdir(`${root}packages`)).sort();
const repository = repositoryOf(rootManifest);
let findingCount = 0;

for (const name of names) {
  const directory = `${root}packages/${name}/`;
  const manifest = await readManifest(directory);
  if (manifest.private === true) continue;
  const tarball = await packPackage(directory);
  const findings = [
    ...manifestFindings(manifest, { directoryName: name, version: rootManifest.version, repository }),
    ...(await tarballFindings(tarball)),
  ];
  findingCount += findings.length;
  console.log(`${findings.length === 0 ? "ok  " : "FAIL"} ${manifest.name} (${tarball.length} bytes packed)`);
  for (const finding of findings) console.log(`     ${finding}`);
}

if (findingCount > 0) process.exitCode = 1;

async function readManifest(directory: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(`${directory}package.json`, "utf8"));
}
