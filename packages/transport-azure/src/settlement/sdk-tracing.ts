import { createTracingClient } from "@azure/core-tracing";

const tracing = createTracingClient({
  namespace: "Microsoft.ServiceBus",
  packageName: "@waybill/transport-azure",
});

/** The example of the standard (W3C Trace Context, 3.2). */
const anyTraceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/**
 * Whether the application has the Azure SDKs traced, by `@azure/opentelemetry-instrumentation-azure-sdk` or by what else it gave to
 * `useInstrumenter`. There is no way to ask, but without that nobody reads a `traceparent`, nor writes one.
 */
export function isTraced(): boolean {
  return (
    tracing.parseTraceparentHeader(anyTraceparent) !== undefined ||
    Object.keys(tracing.createRequestHeaders()).length > 0
  );
}
