// For applications.
export { type IdleTimeouts, SERVICE_IDLE_TIMEOUTS } from "./amqp/idle-timeouts.js";
export type { AccessRight, SharedAccessKey } from "./authorization/shared-access-key.js";
export { type BrokerServer, serve } from "./serve.js";
export { DEFAULT_SERVE_LIMITS, type ServeLimits, type UnauthenticatedLimits } from "./serve-limits.js";
export { DEFAULT_SERVE_OPTIONS, type ServeOptions, type TlsOptions } from "./serve-options.js";

// For authors of tools that open the storage of a served broker.

export { decodeWire } from "./amqp/wire-decoder.js";
