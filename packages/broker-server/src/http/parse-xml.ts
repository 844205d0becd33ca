import { SaxesParser, type SaxesTagPlain } from "saxes";
import { HttpRefusal } from "./http-refusal.js";

/** A parsed element. Namespace prefixes are removed: the management API uses each local name in one namespace only. */
export class XmlElement {
  readonly name: string;
  readonly #children: XmlElement[] = [];
  readonly #attributes: ReadonlyMap<string, string>;
  #text = "";

  constructor(name: string, attributes: ReadonlyMap<string, string>) {
    this.name = name;
    this.#attributes = attributes;
  }

  /** Its own text, without that of its children. */
  get text(): string {
    return this.#text;
  }

  get children(): readonly XmlElement[] {
    return this.#children;
  }

  addText(text: string): void {
    this.#text += text;
  }

  addChild(child: XmlElement): void {
    this.#children.push(child);
  }

  child(name: string): XmlElement | undefined {
    return this.#children.find((child) => child.name === name);
  }

  /** The value of an attribute by its local name. */
  attribute(name: string): string | undefined {
    return this.#attributes.get(name);
  }
}

/** Descriptions of entities have a depth of five, rules with parameters eight. */
const maxDepth = 32;
/** Elements and attributes together; the largest filters have a few thousand. */
const maxNodes = 20_000;
/** Characters that are parsed at once, in about a millisecond. */
const slice = 8 * 1024;

/**
 * Parses a document and returns its root element, in slices between which `pause` is awaited. Throws for malformed XML, a document type, too
 * deep nesting or too many elements.
 */
export async function parseXml(text: string, pause: () => Promise<void>): Promise<XmlElement> {
  const tree = new XmlTree();
  const parser = new SaxesParser();
  parser.on("error", () => refuse("it is not well-formed"));
  // Without a document type, only XML's five built-in entities exist.
  parser.on("doctype", () => refuse("a document type is not allowed"));
  parser.on("attribute", () => tree.count());
  parser.on("opentag", (tag) => tree.open(tag));
  parser.on("text", (part) => tree.top?.addText(part));
  parser.on("cdata", (part) => tree.top?.addText(part));
  parser.on("closetag", () => tree.close());
  for (let at = 0; at < text.length; at += slice) {
    parser.write(text.slice(at, at + slice));
    await pause();
  }
  parser.close();
  return tree.root ?? refuse("it has no root element");
}

/** The elements that are open, from the root on. */
class XmlTree {
  root: XmlElement | undefined;
  readonly #open: XmlElement[] = [];
  #nodes = 0;

  get top(): XmlElement | undefined {
    return this.#open.at(-1);
  }

  count(): void {
    if (++this.#nodes > maxNodes) refuse(`it has more than ${maxNodes} elements and attributes`);
  }

  open({ name, attributes }: SaxesTagPlain): void {
    this.count();
    const local = Object.entries(attributes).map(([key, value]) => [localName(key), value] as const);
    const element = new XmlElement(localName(name), new Map(local));
    if (this.#open.length > maxDepth) refuse(`it nests deeper than ${maxDepth} elements`);
    this.top?.addChild(element);
    this.root ??= element;
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop();
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function refuse(why: string): never {
  throw new HttpRefusal(400, `The body of the request is not a valid description: ${why}.`);
}
