import { describe, expect, it } from "vitest";
import { kindOf } from "./chaos/kinds.js";
import { describeRuns } from "./short-runs.test-support.js";

describeRuns([
  ["chaos", "loses no message when the server of official clients is killed", "No message was lost"],
  ["soak-server", "loses no message in a few seconds with one kill", "1 servers killed"],
  // Its duration is only meaningful on an idle machine.
  ["stop-under-load", "loses no message and leaves none locked", "No message was lost or stayed locked"],
]);

describe("the messages of chaos", () => {
  it("are 1 % undeserializable, and 10 % that are abandoned once", () => {
    const kinds = Array.from({ length: 1_000 }, (_, number) => kindOf(number));
    expect(kinds.filter((kind) => kind === "poison")).toHaveLength(10);
    expect(kinds.filter((kind) => kind === "abandoned")).toHaveLength(100);
  });
});
