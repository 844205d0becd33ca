import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { filterProblems } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

// The ESM-only profile: what `require` and Node 10's resolution make of a package does not count.
const resolutionKinds = ["node16-esm", "bundler"] as const;
const requiredFiles = ["README.md", "LICENSE"];

/** Says what a user of a packed package would stumble over, one line each: missing files, publint's and attw's findings. */
export async function tarballFindings(tarball: Uint8Array): Promise<string[]> {
  return [
    ...missingFiles(tarball),
    ...relativeLinks(tarball),
    ...(await publintFindings(tarball)),
    ...(await typeFindings(tarball)),
  ];
}

function missingFiles(tarball: Uint8Array): string[] {
  const pack = createPackageFromTarballData(tarball);
  const files = new Set(
    pack.listFiles().map((path) => path.slice(`/node_modules/${pack.packageName}/`.length)),
  );
  const missing = requiredFiles.filter((path) => !files.has(path)).map((path) => `${path} is not packed.`);
  const tests = [...files].filter((path) => /\.test(-d)?\./.test(path)).map((path) => `${path} is packed.`);
  const sources = [...files].filter((path) => path.endsWith(".map") || path.startsWith("src/"));
  return [...missing, ...tests, ...sources.map((path) => `${path} is packed: a map or a source.`)];
}

/** Links that lead nowhere on a registry's page. */
function relativeLinks(tarball: Uint8Array): string[] {
  const pack = createPackageFromTarballData(tarball);
  const readme = pack.tryReadFile(`/node_modules/${pack.packageName}/README.md`) ?? "";
  const links = readme.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g);
  return [...links].map(([, url]) => `README.md links to ${url}, which a registry's page does not have.`);
}

async function publintFindings(tarball: Uint8Array): Promise<string[]> {
  const copy = new Uint8Array(tarball).buffer;
  const { messages, pkg } = await publint({ pack: { tarball: copy }, strict: true });
  return messages.map(
    (message) => `publint ${message.code}: ${formatMessage(message, pkg, { color: false })}`,
  );
}

async function typeFindings(tarball: Uint8Array): Promise<string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (analysis.types === false) return ["attw: the package has no types."];
  const problems = new Set<Problem>(
    resolutionKinds.flatMap((resolutionKind) => filterProblems(analysis, { resolutionKind })),
  );
  return [...problems].map((problem) => `attw ${problem.kind}: ${JSON.stringify(problem)}`);
}
