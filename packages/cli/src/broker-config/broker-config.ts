import { readFile } from "node:fs/promises";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { UsageError } from "../errors/usage-error.js";
import { ConfigNode } from "./config-node.js";
import { type EntityKind, type PropertyRules, readProperties } from "./entity-properties.js";
import { DEFAULT_NAMESPACE, type NamespaceConfig, type QueueConfig } from "./namespace-config.js";
import { readRule } from "./rules.js";

/**
 * Reads the `Config.json` of the official emulator: JSON with comments, keys in any letter case. Properties that the emulator does not have go by
 * the names of the management API. Throws `UsageError` that names file and position.
 */
export async function readBrokerConfig(file: string, rules: PropertyRules): Promise<NamespaceConfig[]> {
  const text = (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  return parseBrokerConfig(text, file, rules);
}

/** Reads the text of such a file. */
export function parseBrokerConfig(text: string, file: string, rules: PropertyRules): NamespaceConfig[] {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    throw new UsageError(`${file}:${line}: this is not JSON (${printParseErrorCode(error.error)}).`);
  }
  const root = new ConfigNode(file, "", value);
  if (typeof value !== "object" || value === null) throw new UsageError(`${file} must hold an object.`);
  const namespaces = (root.get("UserConfig") ?? root).list("Namespaces");
  if (namespaces.length === 0)
    throw new UsageError(`${file} must have UserConfig.Namespaces with a namespace.`);
  return namespaces.map((namespace) => readNamespace(namespace, rules));
}

function readNamespace(namespace: ConfigNode, rules: PropertyRules): NamespaceConfig {
  return {
    name: namespace.get("Name") === undefined ? DEFAULT_NAMESPACE : namespace.text("Name"),
    queues: namespace.list("Queues").map((queue) => readEntity("queue", queue, rules)),
    topics: namespace.list("Topics").map((topic) => ({
      ...readEntity("topic", topic, rules),
      subscriptions: topic.list("Subscriptions").map((subscription) => ({
        ...readEntity("subscription", subscription, rules),
        rules: subscription.list("Rules").map(readRule),
      })),
    })),
  };
}

function readEntity(kind: EntityKind, entity: ConfigNode, rules: PropertyRules): QueueConfig {
  return { name: entity.text("Name"), properties: readProperties(kind, entity.get("Properties"), rules) };
}
