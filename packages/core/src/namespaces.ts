/** Several namespaces behind one transport. */

export type { NamespaceOf } from "./namespaces/entity-in-namespace.js";
export { type FailoverTransport, failover } from "./namespaces/failover/failover.js";
export {
  type FailoverEvent,
  type FailoverOptions,
  failoverDefaults,
} from "./namespaces/failover/failover-options.js";
export { namespaces } from "./namespaces/namespaces.js";
export { namespacesCatalog } from "./namespaces/namespaces-catalog.js";
export { shardOf } from "./namespaces/sharding/shard-of.js";
export { sharded } from "./namespaces/sharding/sharded.js";
