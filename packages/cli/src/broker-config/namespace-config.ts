import type { RuleDefinition } from "@waybill/broker";
import type { EntityProperties } from "./entity-properties.js";

/** A namespace with what is in it. */
export interface NamespaceConfig {
  readonly name: string;
  readonly queues: readonly QueueConfig[];
  readonly topics: readonly TopicConfig[];
}

/** A queue to be. */
export interface QueueConfig {
  readonly name: string;
  readonly properties: EntityProperties;
}

/** A topic to be. */
export interface TopicConfig extends QueueConfig {
  readonly subscriptions: readonly SubscriptionConfig[];
}

/** A subscription to be; without rules it takes every message. */
export interface SubscriptionConfig extends QueueConfig {
  readonly rules: readonly RuleDefinition[];
}

/** The name of the official emulator's namespace. */
export const DEFAULT_NAMESPACE = "sbemulatorns";
