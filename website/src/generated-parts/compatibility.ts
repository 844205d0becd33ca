import { readdirSync, readFileSync } from "node:fs";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** What it is run on and compiled with: floors from the manifests, and what CI runs. */
export function drawRuntimes(root: string): string {
  const manifest = readManifest(`${root}package.json`);
  const sdk = readFileSync(`${root}packages/transport-azure/src/sdk-patches/report.ts`, "utf8");
  const list = /testedSdkVersions[^[]*\[\] = Object\.freeze\(\[([^\]]*)\]/.exec(sdk)?.[1] ?? "";
  const versions = [...list.matchAll(/"([^"]+)"/g)].map(([, version]) => version);
  if (versions.length === 0) throw new Error("The tested versions of the SDK were not found.");
  const ci = readFileSync(`${root}.github/workflows/ci.yaml`, "utf8");
  const nodes = /node: \[([^\]]*)\]/.exec(ci)?.[1] ?? "";
  const systems = /os: \[([^\]]*)\]/.exec(ci)?.[1] ?? "";
  return [
    "| | minimum | tested with |",
    "|---|---|---|",
    `| Node | ${manifest.engines?.node} | ${nodes} by CI, on ${systems} |`,
    `| TypeScript | 5.7 | ${manifest.devDependencies?.typescript} |`,
    `| \`@azure/service-bus\` | 7.9 | ${versions.join(", ")} |`,
    "| modules | ES modules | `require` from CommonJS on Node ≥ 20.19 |",
    "| test runners | any | vitest, `node:test`, Jest 30 in its ES module mode |",
  ].join("\n");
}

/** Every package with its version and its dependencies on packages of others. */
export function drawPackages(root: string): string {
  const rows = readdirSync(`${root}packages`)
    .sort()
    .map((name) => readManifest(`${root}packages/${name}/package.json`))
    .map(({ name, version, dependencies = {}, peerDependencies = {} }) => {
      const others = Object.entries({ ...dependencies, ...peerDependencies })
        .filter(([other]) => !other.startsWith("@waybill/"))
        .map(([other, range]) => `\`${other}\` ${range}`);
      return `| \`${name}\` | ${version} | ${others.join(", ") || "none"} |`;
    });
  return ["| package | version | dependencies |", "|---|---|---|", ...rows].join("\n");
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8"));
}
