import { readFile } from "node:fs/promises";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { ConfigNode } from "./config-node.js";
import { type EntityKind, type PropertyRules, readProperties } from "./entity-properties.js";
import { defaultNamespace, type NamespaceConfig, type QueueConfig } from "./namespace-config.js";
import { readRule } from "./rules.js";

/** The name is part of addresses and of the path of the data. */
const namespaceName = /^[a-z][a-z0-9-]{0,49}$/i;

/**
 * Reads the `Config.json` of the official emulator: JSON with comments, keys in any letter case. Properties that the emulator does not have go by
 * the names of the management API. Throws `TypeError` that names file and position.
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
    throw new TypeError(`${file}:${line}: this is not JSON (${printParseErrorCode(error.error)}).`);
  }
  const root = new ConfigNode(file, "", value);
  if (typeof value !== "object" || value === null) throw new TypeError(`${file} must hold an object.`);
  root.withKeys("$schema", "UserConfig", "Namespaces", "Logging");
  const config = root.get("UserConfig")?.withKeys("Namespaces", "Logging") ?? root;
  const namespaces = config.list("Namespaces");
  if (namespaces.length === 0)
    throw new TypeError(`${file} must have UserConfig.Namespaces with a namespace.`);
  const read = namespaces.map((namespace) => readNamespace(namespace, rules));
  const names = new Set(read.map(({ name }) => name.toLowerCase()));
  if (names.size < read.length) throw new TypeError(`${file}: two namespaces have the same Name.`);
  return read;
}

function readNamespace(namespace: ConfigNode, rules: PropertyRules): NamespaceConfig {
  namespace.withKeys("Name", "Queues", "Topics");
  return {
    name: readName(namespace),
    queues: namespace
      .list("Queues")
      .map((queue) => readEntity("queue", queue.withKeys("Name", "Properties"), rules)),
    topics: namespace.list("Topics").map((topic) => ({
      ...readEntity("topic", topic.withKeys("Name", "Properties", "Subscriptions"), rules),
      subscriptions: topic.list("Subscriptions").map((subscription) => ({
        ...readEntity("subscription", subscription.withKeys("Name", "Properties", "Rules"), rules),
        rules: subscription.list("Rules").map(readRule),
      })),
    })),
  };
}

function readName(namespace: ConfigNode): string {
  const node = namespace.get("Name");
  if (node === undefined) return defaultNamespace;
  const name = namespace.text("Name");
  if (!namespaceName.test(name)) throw node.mustBe("letters, digits and hyphens, with a letter first");
  return name;
}

function readEntity(kind: EntityKind, entity: ConfigNode, rules: PropertyRules): QueueConfig {
  return { name: entity.text("Name"), properties: readProperties(kind, entity.get("Properties"), rules) };
}
