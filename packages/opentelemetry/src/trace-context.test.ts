import { TraceFlags } from "@opentelemetry/api";
import type { MessageFacts } from "@waybill/core/diagnostics";
import { describe, expect, it } from "vitest";
import { contextProperties, spanContextOf } from "./trace-context.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

describe("spanContextOf", () => {
  it("reads traceparent and tracestate", () => {
    const context = spanContextOf(facts(`00-${traceId}-${spanId}-01`, "vendor=a"));
    expect(context).toMatchObject({ traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
    expect(context!.traceState!.serialize()).toBe("vendor=a");
  });

  it("reads later versions, which may have more fields", () => {
    expect(spanContextOf(facts(`cc-${traceId}-${spanId}-01-more`))).toMatchObject({ traceId, spanId });
  });

  it.each([
    ["nothing", undefined],
    ["version ff", `ff-${traceId}-${spanId}-01`],
    ["version 00 with more fields", `00-${traceId}-${spanId}-01-more`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
    ["a span id of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
    ["capital letters", `00-${traceId.toUpperCase()}-${spanId}-01`],
    ["the hierarchical id of old .NET", "|7dd0f2a1-4b2c.1."],
  ])("takes no context from %s", (_, traceparent) => {
    expect(spanContextOf(facts(traceparent))).toBeUndefined();
  });
});

describe("contextProperties", () => {
  it("writes what it reads", () => {
    const context = spanContextOf(facts(`00-${traceId}-${spanId}-00`, "vendor=a"))!;
    expect(contextProperties(context)).toEqual({
      traceparent: `00-${traceId}-${spanId}-00`,
      "Diagnostic-Id": `00-${traceId}-${spanId}-00`,
      tracestate: "vendor=a",
    });
  });

  it("writes nothing for a context that is not valid", () => {
    expect(contextProperties({ traceId: "0".repeat(32), spanId, traceFlags: 1 })).toBeUndefined();
  });
});

function facts(traceparent: string | undefined, tracestate?: string): MessageFacts {
  return { traceparent, tracestate } as MessageFacts;
}
