// For tests
export { type NamespaceMatcher, type NamespaceMatchers, namespaceMatchers } from "./namespace-matchers.js";
export { type NamespaceHooks, perTest } from "./per-test.js";
export type {
  SpiedMessage,
  SpiedType,
  SpyKind,
  SpyList,
  SpyPredicate,
  WaitForOptions,
} from "./spied-message.js";
export { openTestNamespace, type TestNamespace, type TestNamespaceOptions } from "./test-namespace.js";
export type { SubscriptionTopology, TopicTopology, Topology } from "./topology.js";
export type { WaitOptions } from "./wait-until.js";
