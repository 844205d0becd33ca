import { expect, it } from "vitest";
import { partitionEnd, partitionOf } from "../tools.js";

it("a sequence number names its partition, and where the next one begins", () => {
  const inThird = (3n << 48n) + 5n;
  expect([partitionOf(5n), partitionOf(inThird)]).toEqual([0n, 3n]);
  expect([partitionEnd(5n), partitionEnd(inThird)]).toEqual([1n << 48n, 4n << 48n]);
});
