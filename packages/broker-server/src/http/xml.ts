import { XMLBuilder } from "fast-xml-parser";

/** An element to write: its name, attributes, and text or children. */
export interface XmlNode {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlNode[];
}

const builder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressEmptyNode: true,
  processEntities: true,
});

/** Formats a document with its declaration. */
export function buildXml(root: XmlNode): string {
  // Parsers read a carriage return as a line feed unless it is written as a reference.
  const text = builder.build([toOrdered(root)]).replaceAll("\r", "&#xD;");
  return `<?xml version="1.0" encoding="utf-8"?>${text}`;
}

/** The library's representation of a node: one key with the children, and `:@` with the attributes. */
type Ordered = Readonly<Record<string, unknown>>;

function toOrdered({ name, attributes, content }: XmlNode): Ordered {
  const children =
    typeof content === "string" ? (content === "" ? [] : [{ "#text": content }]) : content.map(toOrdered);
  const prefixed = Object.entries(attributes ?? {}).map(([key, value]) => [`@${key}`, value] as const);
  return { [name]: children, ...(prefixed.length > 0 && { ":@": Object.fromEntries(prefixed) }) };
}
