// For tests
export { type NamespaceHooks, perTest } from "./per-test.js";
export type { SpiedMessage, SpiedType, SpyKind, WaitForOptions } from "./spy.js";
export { openTestNamespace, type TestNamespace, type TestNamespaceOptions } from "./test-namespace.js";
export type { SubscriptionTopology, TopicTopology, Topology } from "./topology.js";
export type { WaitOptions } from "./wait-until.js";
