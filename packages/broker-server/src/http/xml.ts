import { xmlText } from "@waybill/foundation";

/** An element to write: its name, attributes, and text or children. */
export interface XmlNode {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlNode[];
}

/** Formats a document with its declaration. */
export function buildXml(root: XmlNode): string {
  return `<?xml version="1.0" encoding="utf-8"?>${elementText(root)}`;
}

function elementText({ name, attributes = {}, content }: XmlNode): string {
  const attributeTexts = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(value)}"`);
  const start = `<${name}${attributeTexts.join("")}`;
  const inner = typeof content === "string" ? xmlText(content) : content.map(elementText).join("");
  return inner === "" ? `${start}/>` : `${start}>${inner}</${name}>`;
}
