import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../../.github/${path}`, import.meta.url), "utf8");

/** The job that may ask for an identity of the registry. */
const job = read("workflows/publish.yaml").split(/^ {2}publish:$/m)[1] ?? "";

describe("the job that publishes", () => {
  it("runs actions only by the digest of their commit", () => {
    expect(job).toContain("id-token: write");
    const actions = [...job.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  it("runs a package manager whose digest a lockfile has, and downloads no other program", () => {
    expect(job).not.toMatch(/\bnpx\b/);
    expect(job).toContain("npm ci --ignore-scripts --prefix .github/pnpm");
    const { packages } = JSON.parse(read("pnpm/package-lock.json")) as {
      packages: Record<string, { integrity?: string }>;
    };
    const { "": _, ...installed } = packages;
    expect(Object.keys(installed)).toEqual(["node_modules/@pnpm/exe.linux-x64"]);
    for (const { integrity } of Object.values(installed)) expect(integrity).toMatch(/^sha512-\S{88}$/);
  });
});
