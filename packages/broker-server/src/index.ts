// For applications.
export type { AccessRight, SharedAccessKey } from "./authorization/shared-access-key.js";
export { type BrokerServer, serve } from "./serve.js";
export { DEFAULT_SERVE_OPTIONS, type ServeOptions, type TlsOptions } from "./serve-options.js";
