import { WaybillError } from "@waybill/core";
import { type DecodeReason, type DeserializeContext, decodeFailure } from "@waybill/core/serializer";
import { SaxesParser } from "saxes";
import { NilPrefixes } from "./nil-prefixes.js";
import { OpenElement, type XmlAttribute } from "./open-element.js";

/** How deeply a document may nest, and how many elements and attributes it may have. */
export type XmlLimits = Pick<DeserializeContext, "maxDepth" | "maxItems">;

/**
 * The value of a document: an object with the root element by its name. One pass, in which the limits are checked before anything is kept. Throws
 * `decodeFailure`, also for a document type declaration and for names that could pollute a prototype.
 */
export function parseXml(text: string, limits: XmlLimits): Record<string, unknown> {
  return new Parse(limits).run(text);
}

/**
 * Line breaks as every parser has to read them. The library does it too, but keeps a piece of text for each, and so does `replace`: both take more memory
 * than small heaps have, so they are folded in bytes, of which carriage returns are always whole characters. Source: XML 1.0, 2.11.
 */
function withLineFeeds(text: string): string {
  if (!text.includes("\r")) return text;
  const bytes = Buffer.from(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === carriageReturn && bytes[at + 1] === lineFeed) continue;
    bytes[end++] = byte === carriageReturn ? lineFeed : byte;
  }
  return bytes.toString("utf8", 0, end);
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Without positions, which the library would compute for each line; without namespaces, because names keep their prefixes. */
const options = { xmlns: false, position: false, forceXMLVersion: true, defaultXMLVersion: "1.0" } as const;

const partLength = 1024 * 1024;

/** The parser's name of the text that it has read and not passed on. */
const textSoFar = "text";

/** Gives a text one piece of memory in place of those that were added up: V8 does so before it searches. */
function gather(text: string): void {
  anyText.test(text);
}

const anyText = /^./s;

const noAttributes: XmlAttribute[] = [];

class Parse {
  readonly #limits: XmlLimits;
  readonly #parser = new SaxesParser(options);
  readonly #document = new OpenElement("", noAttributes, undefined);
  readonly #open: OpenElement[] = [];
  readonly #prefixes = new NilPrefixes();
  /** Those of the start tag that is being read. */
  #attributes = noAttributes;
  #current = this.#document;
  #itemsLeft: number;

  constructor(limits: XmlLimits) {
    this.#limits = limits;
    // The root does not count.
    this.#itemsLeft = (limits.maxItems ?? Number.POSITIVE_INFINITY) + 1;
  }

  run(text: string): Record<string, unknown> {
    const parser = this.#parser;
    const append = (piece: string) => {
      this.#current.text += piece;
    };
    parser.on("doctype", () =>
      this.#fail("type-forbidden", "a document type declaration, which could define entities"),
    );
    parser.on("attribute", (attribute) => {
      this.#count();
      if (this.#attributes.length === 0) this.#attributes = [];
      this.#attributes.push(attribute);
    });
    parser.on("opentag", ({ name }) => this.#begin(name));
    parser.on("closetag", () => this.#end());
    parser.on("text", append);
    parser.on("cdata", append);
    this.#step("malformed", "it is not well-formed", () => this.#write(withLineFeeds(text)));
    this.#step("truncated", "the document ends too early", () => parser.close());
    return this.#document.members();
  }

  /** In parts, after each of which the text that the parser has so far becomes one piece: it adds one for each tab and line feed of an attribute. */
  #write(text: string): void {
    const parser = this.#parser;
    for (let at = 0; at < text.length; at += partLength) {
      parser.write(text.slice(at, at + partLength));
      gather(parser[textSoFar]);
    }
  }

  #begin(name: string): void {
    const attributes = this.#attributes;
    this.#attributes = noAttributes;
    this.#count();
    if (this.#open.length >= this.#limits.maxDepth)
      this.#fail("depth-exceeded", `nesting beyond ${this.#limits.maxDepth}`);
    if (name === "__proto__") this.#fail("key-forbidden", 'an element "__proto__"');
    if (name === "prototype" && this.#current.name === "constructor")
      this.#fail("key-forbidden", 'an element "prototype" in "constructor"');
    this.#open.push(this.#current);
    this.#current = new OpenElement(name, attributes, this.#prefixes.enter(attributes));
  }

  #end(): void {
    const element = this.#current;
    this.#prefixes.leave();
    this.#current = this.#open.pop() as OpenElement;
    this.#current.add(element.name, element.value());
  }

  #count(): void {
    if (--this.#itemsLeft < 0) this.#fail("items-exceeded", `more than ${this.#limits.maxItems} items`);
  }

  #step(reason: DecodeReason, what: string, step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof WaybillError) throw error;
      // The error's text quotes the document, so it is not passed on.
      this.#fail(reason, what);
    }
  }

  #fail(reason: DecodeReason, what: string): never {
    throw decodeFailure(reason, `not an XML document at offset ${this.#parser.position}: ${what}.`);
  }
}
