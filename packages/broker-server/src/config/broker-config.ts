import { readFile } from "node:fs/promises";
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
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
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const at = (offset: number) => `${file}:${text.slice(0, offset).split("\n").length}`;
  const [error] = errors;
  if (error !== undefined)
    throw new TypeError(`${at(error.offset)}: this is not JSON (${printParseErrorCode(error.error)}).`);
  for (const { value, offset } of repeatedKeys(tree))
    throw new TypeError(`${at(offset)}: an object has the key "${value}" twice.`);
  const value: unknown = tree && getNodeValue(tree);
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
  // Queues and topics share their names.
  const names = new Set<string>();
  return {
    name: readName(namespace),
    queues: readNamed(
      namespace.list("Queues"),
      (queue) => readEntity("queue", queue.withKeys("Name", "Properties"), rules),
      names,
    ),
    topics: readNamed(
      namespace.list("Topics"),
      (topic) => ({
        ...readEntity("topic", topic.withKeys("Name", "Properties", "Subscriptions"), rules),
        subscriptions: readNamed(topic.list("Subscriptions"), (subscription) => ({
          ...readEntity("subscription", subscription.withKeys("Name", "Properties", "Rules"), rules),
          rules: readNamed(subscription.list("Rules"), readRule),
        })),
      }),
      names,
    ),
  };
}

/** Reads items whose names, in any letter case, are not among `names` yet, and adds them. */
function readNamed<Item extends { readonly name: string }>(
  nodes: readonly ConfigNode[],
  read: (node: ConfigNode) => Item,
  names = new Set<string>(),
): Item[] {
  return nodes.map((node) => {
    const item = read(node);
    const size = names.size;
    if (names.add(item.name.toLowerCase()).size === size)
      throw node.mustBe(`one with a name of its own: '${item.name}' is another one, too`);
    return item;
  });
}

/** The keys that an object has twice: only the last one would be used. */
function* repeatedKeys(node: Node | undefined): Generator<Node> {
  const keys = new Set<unknown>();
  for (const child of node?.children ?? []) {
    const [key] = child.type === "property" ? (child.children ?? []) : [];
    if (key !== undefined && keys.size === keys.add(key.value).size) yield key;
    yield* repeatedKeys(child);
  }
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
