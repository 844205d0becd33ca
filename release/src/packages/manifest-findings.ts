/** Where a package lies and which version the whole workspace has. */
export interface ManifestExpectation {
  readonly directoryName: string;
  readonly version: unknown;
  /** The repository's address, without `.git`. */
  readonly repository: string;
}

/** Says what is wrong with a published package's manifest, one sentence each; empty when nothing is. */
export function manifestFindings(
  manifest: Readonly<Record<string, unknown>>,
  { directoryName, version, repository }: ManifestExpectation,
): string[] {
  const required: Record<string, unknown> = {
    // The command by its own name.
    name: directoryName === "waybill" ? directoryName : `@waybill/${directoryName}`,
    version,
    license: "MIT",
    type: "module",
    sideEffects: false,
    repository: { type: "git", url: `git+${repository}.git`, directory: `packages/${directoryName}` },
    homepage: `${repository}/tree/main/packages/${directoryName}#readme`,
    bugs: `${repository}/issues`,
  };
  const findings = Object.entries(required)
    .filter(([key, value]) => JSON.stringify(manifest[key]) !== JSON.stringify(value))
    .map(
      ([key, value]) =>
        `package.json: "${key}" is ${JSON.stringify(manifest[key])}, not ${JSON.stringify(value)}.`,
    );
  if (typeof manifest.description !== "string") findings.push('package.json: "description" is missing.');
  if (!Array.isArray(manifest.keywords) || manifest.keywords.length < 4)
    findings.push('package.json: "keywords" has fewer than four words.');
  if (engine(manifest) !== ">=20.19.0") findings.push('package.json: "engines.node" is not ">=20.19.0".');
  return findings;
}

function engine(manifest: Readonly<Record<string, unknown>>): unknown {
  return (manifest.engines as Record<string, unknown> | undefined)?.node;
}
