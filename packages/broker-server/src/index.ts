// For applications.

export type { AccessRight, SharedAccessKey } from "./authorization/shared-access-key.js";
export type { ServerEvent } from "./events/server-event.js";
export { type IdleTimeouts, serviceIdleTimeouts } from "./options/idle-timeouts.js";
export {
  defaultServeLimits,
  type ServeLimits,
  type UnauthenticatedLimits,
} from "./options/serve-limits.js";
export type { ServeOptions, TlsOptions } from "./options/serve-options.js";
export { type BrokerServer, serve } from "./serve.js";
