// For applications

export type { OpenTelemetryOptions } from "./open-telemetry.js";
export { defaultOpenTelemetryOptions, openTelemetry } from "./open-telemetry.js";
