import { createTracingClient } from "@azure/core-tracing";

const tracing = createTracingClient({
  namespace: "Microsoft.ServiceBus",
  packageName: "@waybill/transport-azure",
});

/** The example from W3C Trace Context, 3.2. */
const anyTraceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/**
 * Whether the application traces the Azure SDKs, by `@azure/opentelemetry-instrumentation-azure-sdk` or another instrumenter passed to
 * `useInstrumenter`. There is no API for this, but without an instrumenter no `traceparent` is read or written.
 */
export function isTraced(): boolean {
  return (
    tracing.parseTraceparentHeader(anyTraceparent) !== undefined ||
    Object.keys(tracing.createRequestHeaders()).length > 0
  );
}
