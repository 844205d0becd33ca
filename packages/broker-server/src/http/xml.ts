import { XMLBuilder, XMLParser, XMLValidator } from "fast-xml-parser";
import { HttpRefusal } from "./http-refusal.js";

/** An element to write: its name, attributes, and text or children. */
export interface XmlNode {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlNode[];
}

/** A parsed element. Namespace prefixes are removed: the management API uses each local name in one namespace only. */
export class XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
  readonly #attributes: Readonly<Record<string, string>>;

  constructor(
    name: string,
    text: string,
    children: readonly XmlElement[],
    attributes: Readonly<Record<string, string>>,
  ) {
    this.name = name;
    this.text = text;
    this.children = children;
    this.#attributes = attributes;
  }

  child(name: string): XmlElement | undefined {
    return this.children.find((child) => child.name === name);
  }

  /** The value of an attribute by its local name. */
  attribute(name: string): string | undefined {
    return Object.hasOwn(this.#attributes, name) ? this.#attributes[name] : undefined;
  }
}

/** Descriptions of entities have a depth of five, rules with parameters eight. */
const MAX_DEPTH = 32;

const builder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressEmptyNode: true,
  processEntities: true,
});

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  processEntities: true,
});

/** Formats a document with its declaration. */
export function buildXml(root: XmlNode): string {
  return `<?xml version="1.0" encoding="utf-8"?>${builder.build([toOrdered(root)])}`;
}

/** Parses a document and returns its root element. Throws for malformed XML, a document type, or too deep nesting. */
export function parseXml(text: string): XmlElement {
  // Without a document type, only XML's five built-in entities exist.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw badXml("a document type is not allowed");
  if (XMLValidator.validate(text) !== true) throw badXml("it is not well-formed");
  let nodes: Ordered[];
  try {
    nodes = parser.parse(text) as Ordered[];
  } catch {
    throw badXml("it cannot be read");
  }
  const root = nodes.map((node) => fromOrdered(node, 0)).find((node) => node !== undefined);
  if (root === undefined) throw badXml("it has no root element");
  return root;
}

/** The library's representation of a node: one key with the children, and `:@` with the attributes. */
type Ordered = Readonly<Record<string, unknown>>;

function toOrdered({ name, attributes, content }: XmlNode): Ordered {
  const children =
    typeof content === "string" ? (content === "" ? [] : [{ "#text": content }]) : content.map(toOrdered);
  const prefixed = Object.entries(attributes ?? {}).map(([key, value]) => [`@${key}`, value] as const);
  return { [name]: children, ...(prefixed.length > 0 && { ":@": Object.fromEntries(prefixed) }) };
}

function fromOrdered(node: Ordered, depth: number): XmlElement | undefined {
  if (depth > MAX_DEPTH) throw badXml(`it nests deeper than ${MAX_DEPTH} elements`);
  const name = Object.keys(node).find((key) => key !== ":@");
  if (name === undefined || name === "#text") return undefined;
  const content = node[name] as readonly Ordered[];
  const text = content.map((child) => ("#text" in child ? String(child["#text"]) : "")).join("");
  const children = content.flatMap((child) => fromOrdered(child, depth + 1) ?? []);
  return new XmlElement(name, text, children, (node[":@"] ?? {}) as Record<string, string>);
}

function badXml(why: string): HttpRefusal {
  return new HttpRefusal(400, `The body of the request is not a valid description: ${why}.`);
}
