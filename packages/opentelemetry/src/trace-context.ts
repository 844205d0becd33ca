import { createTraceState, isSpanContextValid, type SpanContext } from "@opentelemetry/api";
import type { ApplicationProperties } from "@waybill/core";
import type { MessageFacts } from "@waybill/core/diagnostics";

/** Source: W3C Trace Context, 3.2. Later versions may add fields at the end. */
const pattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** The span context of a message; undefined if it has none, or a malformed one. */
export function spanContextOf({ traceparent, tracestate }: MessageFacts): SpanContext | undefined {
  const parts = traceparent === undefined ? null : pattern.exec(traceparent);
  if (parts === null) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = parts;
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  const context: SpanContext = {
    traceId,
    spanId,
    // Only the flag "sampled" is defined. Source: W3C Trace Context, 3.2.2.5.
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(context) ? context : undefined;
}

/**
 * The application properties for a span context. All Azure SDKs read `Diagnostic-Id`, and the one for JavaScript does not write its own if it
 * is set; newer ones read `traceparent`.
 */
export function contextProperties(context: SpanContext): ApplicationProperties | undefined {
  if (!isSpanContextValid(context)) return undefined;
  const flags = (context.traceFlags & 1).toString(16).padStart(2, "0");
  const traceparent = `00-${context.traceId}-${context.spanId}-${flags}`;
  const tracestate = context.traceState?.serialize();
  return {
    "Diagnostic-Id": traceparent,
    traceparent,
    ...(tracestate ? { tracestate } : {}),
  };
}
