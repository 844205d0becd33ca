import { describe, expect, it } from "vitest";
import { manifestFindings } from "./manifest-findings.js";

const expectation = { directoryName: "core", version: "1.2.3" };
const manifest = {
  name: "@waybill/core",
  version: "1.2.3",
  description: "A core",
  license: "MIT",
  type: "module",
  sideEffects: false,
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

  it.each(["name", "license", "type", "sideEffects"])("finds a missing %s", (key) => {
    const { [key as "name"]: _, ...rest } = manifest;
    expect(manifestFindings(rest, expectation)[0]).toContain(`"${key}" is undefined`);
  });

  it.each(["description", "engines"])("finds a missing %s", (key) => {
    const { [key as "description"]: _, ...rest } = manifest;
    expect(manifestFindings(rest, expectation)).toHaveLength(1);
  });
});
