import { XmlCdata, XmlElement, XmlText } from "@rgrove/parse-xml";
import { decodeFailure } from "@waybill/core/serializer";

/** An object with the root element by its name. The depth was checked before. Throws `decodeFailure` for names that could pollute a prototype. */
export function toValue(root: XmlElement): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  value[checkedName(root.name, "")] = elementValue(root);
  return value;
}

/** The text of an element without attributes and children; otherwise an object of its attributes, children and text. */
function elementValue(element: XmlElement): unknown {
  const attributes = Object.entries(element.attributes);
  const children = element.children.filter((child) => child instanceof XmlElement);
  if (element.attributes["xsi:nil"] === "true" && element.children.length === 0) return null;
  if (attributes.length === 0 && children.length === 0) return textOf(element);
  const value: Record<string, unknown> = {};
  for (const [name, text] of attributes) value[`@${name}`] = text;
  const repeated = new Map<string, unknown[]>();
  for (const child of children)
    add(value, repeated, checkedName(child.name, element.name), elementValue(child));
  const text = textOf(element);
  // White space between elements is only formatting.
  if (children.length === 0 ? text !== "" : /\S/.test(text)) value["#text"] = text;
  return value;
}

/** Elements of one name among the children of one become an array, in their order. */
function add(
  value: Record<string, unknown>,
  repeated: Map<string, unknown[]>,
  name: string,
  item: unknown,
): void {
  const list = repeated.get(name);
  if (list !== undefined) list.push(item);
  else if (!Object.hasOwn(value, name)) value[name] = item;
  else {
    const both = [value[name], item];
    repeated.set(name, both);
    value[name] = both;
  }
}

function textOf({ children }: XmlElement): string {
  let text = "";
  for (const child of children) if (child instanceof XmlText || child instanceof XmlCdata) text += child.text;
  return text;
}

function checkedName(name: string, parent: string): string {
  if (name === "__proto__") throw decodeFailure("key-forbidden", 'The XML body has an element "__proto__".');
  if (name === "prototype" && parent === "constructor")
    throw decodeFailure("key-forbidden", 'The XML body has an element "prototype" in "constructor".');
  return name;
}
