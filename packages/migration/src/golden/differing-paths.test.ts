import { expect, it } from "vitest";
import { differingPaths } from "./differing-paths.js";

it("names differences by JSON pointers, and the whole value by (root)", () => {
  expect(differingPaths({ "a/b": 1, "": 1 }, { "a/b": 2, "": 2 })).toEqual(["/a~1b", "/"]);
  expect(differingPaths([1], { 0: 1 })).toEqual(["(root)"]);
  expect(differingPaths(null, "text")).toEqual(["(root)"]);
  expect(differingPaths({ a: [1] }, { a: [1] })).toEqual([]);
});
