import { describe, expect, it } from "vitest";
import type { ReasonCode } from "../errors/reason.js";
import { reasonCodes } from "../errors/reason.js";
import { decisiveAttempt } from "./decisive-attempt.js";

/** The reason of the decisive attempt of a chain; the serializer named `json` is declared. */
function decisive(...attempts: [serializer: string, reason: ReasonCode][]) {
  return decisiveAttempt({
    declared: "json",
    attempts: attempts.map(([serializer, reason], position) => ({
      serializer,
      position,
      stage: reasonCodes[reason],
      reason,
      detail: "",
    })),
  });
}

describe("decisiveAttempt", () => {
  it("is the attempt that reached the latest stage, not the last one", () => {
    expect(decisive(["json", "truncated"], ["msgpack", "not-recognized"])?.reason).toBe("truncated");
    expect(decisive(["json", "malformed"], ["avro", "schema-violation"])?.reason).toBe("schema-violation");
    expect(decisive(["json", "charset-unsupported"], ["avro", "not-recognized"])?.serializer).toBe("json");
  });

  it("is that of the declared serializer, then the first, among those that reached the same stage", () => {
    expect(decisive(["avro", "not-recognized"], ["json", "not-recognized"])?.serializer).toBe("json");
    expect(decisive(["avro", "not-recognized"], ["msgpack", "not-recognized"])?.serializer).toBe("avro");
  });

  it("is the one with a final reason, even after other attempts", () => {
    expect(decisive(["json", "schema-violation"], ["avro", "unavailable"])?.reason).toBe("unavailable");
    expect(decisive(["json", "upcast-failed"])?.reason).toBe("upcast-failed");
  });

  it("is undefined without attempts", () => {
    expect(decisive()).toBeUndefined();
  });
});
