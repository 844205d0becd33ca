/** Where a package lies and which version the whole workspace has. */
export interface ManifestExpectation {
  readonly directoryName: string;
  readonly version: unknown;
}

/** Says what is wrong with a published package's manifest, one sentence each; empty when nothing is. */
export function manifestFindings(
  manifest: Readonly<Record<string, unknown>>,
  { directoryName, version }: ManifestExpectation,
): string[] {
  const required: Record<string, unknown> = {
    name: `@waybill/${directoryName}`,
    version,
    license: "MIT",
    type: "module",
    sideEffects: false,
  };
  const findings = Object.entries(required)
    .filter(([key, value]) => manifest[key] !== value)
    .map(
      ([key, value]) =>
        `package.json: "${key}" is ${JSON.stringify(manifest[key])}, not ${JSON.stringify(value)}.`,
    );
  if (typeof manifest.description !== "string") findings.push('package.json: "description" is missing.');
  if (engine(manifest) !== ">=20.19.0") findings.push('package.json: "engines.node" is not ">=20.19.0".');
  return findings;
}

function engine(manifest: Readonly<Record<string, unknown>>): unknown {
  return (manifest.engines as Record<string, unknown> | undefined)?.node;
}
