import type { RuleDefinition } from "@waybill/broker";
import type { EntityProperties } from "./entity-properties.js";

/** A namespace with its entities. */
export interface NamespaceConfig {
  readonly name: string;
  readonly queues: readonly QueueConfig[];
  readonly topics: readonly TopicConfig[];
}

/** A queue to create. */
export interface QueueConfig {
  readonly name: string;
  readonly properties: EntityProperties;
}

/** A topic to create. */
export interface TopicConfig extends QueueConfig {
  readonly subscriptions: readonly SubscriptionConfig[];
}

/** A subscription to create; without rules it receives every message. */
export interface SubscriptionConfig extends QueueConfig {
  readonly rules: readonly RuleDefinition[];
}

/** The name of the official emulator's namespace. */
export const defaultNamespace = "sbemulatorns";
