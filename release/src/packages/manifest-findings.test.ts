import { describe, expect, it } from "vitest";
import { manifestFindings } from "./manifest-findings.js";

const repository = "https://example.org/waybill";
const expectation = { directoryName: "core", version: "1.2.3", repository };
const manifest = {
  name: "@waybill/core",
  version: "1.2.3",
  description: "A core",
  license: "MIT",
  type: "module",
  sideEffects: false,
  repository: { type: "git", url: `git+${repository}.git`, directory: "packages/core" },
  homepage: `${repository}/tree/main/packages/core#readme`,
  bugs: `${repository}/issues`,
  keywords: ["azure", "service-bus", "messaging", "client"],
  engines: { node: ">=20.19.0" },
};

describe("manifestFindings", () => {
  it("finds nothing in a complete manifest", () => {
    expect(manifestFindings(manifest, expectation)).toEqual([]);
  });

  it("finds a version that is not the workspace's", () => {
    expect(manifestFindings({ ...manifest, version: "1.2.4" }, expectation)).toEqual([
      'package.json: "version" is "1.2.4", not "1.2.3".',
    ]);
  });

  it.each(["name", "license", "type", "sideEffects", "repository", "homepage", "bugs"])(
    "finds a missing %s",
    (key) => {
      const { [key as "name"]: _, ...rest } = manifest;
      expect(manifestFindings(rest, expectation)[0]).toContain(`"${key}" is undefined`);
    },
  );

  it.each(["description", "engines"])("finds a missing %s", (key) => {
    const { [key as "description"]: _, ...rest } = manifest;
    expect(manifestFindings(rest, expectation)).toHaveLength(1);
  });
});
