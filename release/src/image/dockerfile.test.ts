import { describe, expect, it } from "vitest";
import { ignoresOf, instructionsOf } from "./dockerfile.js";

describe("instructionsOf", () => {
  it("joins the lines of an instruction, and leaves comments out", () => {
    expect(instructionsOf("# base\nFROM node AS build\nRUN one \\\n  && two\n\nUSER node\n")).toEqual([
      { name: "FROM", value: "node AS build" },
      { name: "RUN", value: "one && two" },
      { name: "USER", value: "node" },
    ]);
  });
});

describe("ignoresOf", () => {
  it("leaves out names at the root, and those at every level, with what is below them", () => {
    const isIgnored = ignoresOf("# private\n**/dist\n**/.env*\n**/*.tsbuildinfo\n.git\n");
    const ignored = [
      "dist",
      "packages/cli/dist/bin.js",
      ".env.local",
      "a/.env",
      "a/b.tsbuildinfo",
      ".git/HEAD",
    ];
    expect(ignored.filter((path) => !isIgnored(path))).toEqual([]);
    expect(["distance", "a/.git", ".github", "environment", ""].filter(isIgnored)).toEqual([]);
  });
});
