import { Namespaces } from "../binary-xml/namespaces.js";
import type { XmlAttribute, XmlElement } from "../binary-xml/xml-element.js";

/** The leaf types that DataContractSerializer names: in XML Schema's namespace, or in Microsoft's own. */
export const leafTypes = Object.freeze([
  "string",
  "anyURI",
  "guid",
  "duration",
  "QName",
  "decimal",
  "byte",
  "unsignedByte",
  "short",
  "unsignedShort",
  "int",
  "unsignedInt",
  "long",
  "unsignedLong",
  "float",
  "double",
  "boolean",
  "dateTime",
  "base64Binary",
  "char",
  "anyType",
] as const);

/** A type of a single value. */
export type LeafType = (typeof leafTypes)[number];

const known: ReadonlySet<string> = new Set(leafTypes);

export function isLeafType(name: string): name is LeafType {
  return known.has(name);
}

/** The type that an `i:type` attribute gives an element: its namespace and name. */
export interface DeclaredType {
  readonly namespace: string;
  readonly name: string;
}

/** The type that an `i:type` attribute names; undefined if its prefix is not declared. */
export function declaredType({ text, textNamespace }: XmlAttribute): DeclaredType | undefined {
  return textNamespace === undefined
    ? undefined
    : { namespace: textNamespace, name: text.slice(text.indexOf(":") + 1) };
}

/** Whether an element's name may determine its leaf type: for Microsoft's primitives and items of lists. */
export function hasTypedName({ namespace }: XmlElement): boolean {
  return namespace === Namespaces.serialization || namespace === Namespaces.arrays;
}

/** The leaf type of an element by its `i:type`, or else by its name. */
export function leafTypeOf(element: XmlElement, declared: DeclaredType | undefined): LeafType | undefined {
  const { namespace, name } = declared ?? element;
  const isTyped =
    namespace === Namespaces.serialization ||
    (declared === undefined ? namespace === Namespaces.arrays : namespace === Namespaces.schema);
  return isTyped && isLeafType(name) ? name : undefined;
}
