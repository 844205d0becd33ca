// For tools that create the entities of a configuration file.

export { applyConfig } from "./config/apply-config.js";
export { parseBrokerConfig, readBrokerConfig } from "./config/broker-config.js";
export type { EntityKind, EntityProperties, PropertyRules } from "./config/entity-properties.js";
export type {
  NamespaceConfig,
  QueueConfig,
  SubscriptionConfig,
  TopicConfig,
} from "./config/namespace-config.js";
export { defaultNamespace } from "./config/namespace-config.js";

// For tools that write such a file, or read its values from elsewhere.

export { optionNames, propertiesFromTexts, toKey } from "./config/entity-properties.js";
export { toFileForm } from "./config/rule-constants.js";
export { correlationKeys } from "./config/rules.js";
