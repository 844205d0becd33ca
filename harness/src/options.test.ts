import { describe, expect, it } from "vitest";
import { readOptions } from "./options.js";

describe("the options of a script", () => {
  const defaults = { kills: 5, "give-up": 90, only: "", load: true };

  it("have the types of their defaults", () => {
    expect(readOptions(defaults, ["--kills", "7", "--only", "x", "--no-load"])).toEqual({
      kills: 7,
      "give-up": 90,
      only: "x",
      load: false,
    });
  });

  it("must be known, and numbers if their defaults are numbers", () => {
    expect(() => readOptions(defaults, ["--kill", "7"])).toThrow("Unknown option '--kill'");
    expect(() => readOptions(defaults, ["--kills", "many"])).toThrow(
      'kills must be a number, but is "many".',
    );
  });
});
