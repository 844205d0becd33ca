import { WaybillError } from "@waybill/core";
import {
  type BodyCheck,
  encodeFailure,
  type PlainRules,
  type PlainWalk,
  type SerializeContext,
  toPlain,
} from "@waybill/core/serializer";
import { base64, xmlText } from "@waybill/foundation";
import { parseOwn } from "./read-xml.js";

const encoder = new TextEncoder();

/** Writes a document, a string or an object. Throws `encodeFailure`. */
export function writeXml(
  value: unknown,
  context: SerializeContext,
  form: "both" | "text" | "parsed",
  check: BodyCheck | undefined,
): Uint8Array {
  const text = documentOf(value, context.maxDepth);
  const bytes = encoder.encode(text);
  const parsed = readBack(text, context, bytes.length);
  const result = check?.(form === "both" ? { text, parsed } : form === "text" ? text : parsed);
  if (result?.isValid === false) throw encodeFailure(result.text);
  return bytes;
}

/** Refuses values that readers would refuse. */
function readBack(text: string, { maxDepth, maxItemsIn }: SerializeContext, byteLength: number): unknown {
  try {
    return parseOwn(text, { maxDepth, maxItems: maxItemsIn?.(byteLength) });
  } catch (error) {
    throw error instanceof WaybillError
      ? encodeFailure(`The body cannot be written as XML: ${error.text}`)
      : error;
  }
}

function documentOf(value: unknown, maxDepth: number): string {
  if (typeof value === "string") return wellFormed(value);
  const { text, parsed } = (value ?? {}) as { readonly text?: unknown; readonly parsed?: unknown };
  if (typeof text === "string" && isBoth(value)) return wellFormed(text);
  const tree = plain(isBoth(value) && parsed !== undefined ? parsed : value, maxDepth);
  if (!(tree instanceof Element) || tree.entries.length !== 1)
    throw encodeFailure(
      "The body cannot be written as XML: it must be a string, or an object with one member, the root element.",
    );
  const [[name, root]] = tree.entries as [Entry];
  if (Array.isArray(root) || name.startsWith("@") || name === "#text")
    throw encodeFailure("The body cannot be written as XML: a document has one root element.");
  return elementText(name, root as Content);
}

/** Whether an object is a value that reading returns, not a root element with one of these names. */
function isBoth(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).every((key) => key === "text" || key === "parsed")
  );
}

function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw encodeFailure("The body cannot be written as XML: it is a string with a lone surrogate.");
}

type Content = string | null | Element;
type Entry = readonly [name: string, content: Content | readonly Content[]];

/** An object's members, in their order. */
class Element {
  readonly entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }
}

// Names as XML namespaces allow them, without a leading or trailing colon; readers refuse others.
const nameStart =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}-\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const names = new RegExp(
  `^[:${nameStart}][:${nameStart}\\-.0-9\\u{B7}\\u{0300}-\\u{036F}\\u{203F}-\\u{2040}]*$`,
  "u",
);

/** Characters that XML cannot contain, not even escaped. Source: XML 1.0, 2.2. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

const rules: PlainRules = {
  format: "XML",
  item(item: unknown, walk: PlainWalk): unknown {
    switch (typeof item) {
      case "string":
        if (!item.isWellFormed()) return walk.refuse("a string with a lone surrogate");
        return forbidden.test(item) ? walk.refuse("a character that XML cannot contain") : item;
      case "boolean":
      case "bigint":
      case "number":
        return String(item);
      case "object":
        return item === null ? null : fromObject(item, walk);
      default:
        return walk.refuse(item === undefined ? "undefined" : `a ${typeof item}`);
    }
  },
  record(entries, walk) {
    for (const [name, content] of entries) {
      const bare = name.startsWith("@") ? name.slice(1) : name;
      if (name !== "#text" && !names.test(bare)) walk.refuse("a key that is not an XML name");
      if ((name === "#text" || name.startsWith("@")) && typeof content !== "string")
        walk.refuse("an attribute or text that is not a scalar");
      if (Array.isArray(content) && content.some(Array.isArray)) walk.refuse("an array in an array");
    }
    return new Element(entries as unknown as readonly Entry[]);
  },
};

function fromObject(value: object, walk: PlainWalk): unknown {
  if (value instanceof Uint8Array) return base64(value);
  if (!(value instanceof Date)) return walk.object(value);
  return Number.isNaN(value.getTime()) ? walk.refuse("an invalid date") : value.toISOString();
}

function plain(value: unknown, maxDepth: number): unknown {
  try {
    return toPlain(value, maxDepth, rules);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // An error thrown by the value's own code may quote the value, so it is not passed on.
    throw encodeFailure("The body cannot be written as XML: reading it threw an error.");
  }
}

function elementText(name: string, content: Content): string {
  if (content === null)
    return `<${name} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>`;
  if (typeof content === "string")
    return content === "" ? `<${name}/>` : `<${name}>${escaped(content)}</${name}>`;
  let attributes = "";
  let inner = "";
  for (const [key, value] of content.entries) {
    if (key.startsWith("@")) attributes += ` ${key.slice(1)}="${escaped(String(value))}"`;
    else if (key === "#text") inner += escaped(String(value));
    else if (Array.isArray(value)) for (const item of value) inner += elementText(key, item as Content);
    else inner += elementText(key, value as Content);
  }
  return inner === "" ? `<${name}${attributes}/>` : `<${name}${attributes}>${inner}</${name}>`;
}

/** White space that readers would normalize is written as a character reference. */
function escaped(text: string): string {
  return xmlText(text).replace(/[\t\n]/g, (char) => `&#${char.charCodeAt(0)};`);
}
