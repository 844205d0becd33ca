import { NodeSDK, type NodeSDKConfiguration } from "@opentelemetry/sdk-node";

/** Starts OpenTelemetry: exporters and their addresses are those of the environment, such as `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export function startTelemetry(options: Partial<NodeSDKConfiguration> = {}): NodeSDK {
  const sdk = new NodeSDK({ serviceName: "orders", ...options });
  sdk.start();
  return sdk;
}
