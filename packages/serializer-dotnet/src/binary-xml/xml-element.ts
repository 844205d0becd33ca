import type { TextRecord, TextValue } from "./text-record.js";

/** An attribute with its resolved namespace, `""` for none. */
export interface XmlAttribute {
  readonly namespace: string;
  readonly name: string;
  readonly text: string;
}

/** A declaration of a prefix; those of the parents follow. */
export interface Scope {
  readonly prefix: string;
  readonly namespace: string;
  readonly outer: Scope | undefined;
}

/** An element as read: what its records say, nothing interpreted. */
export class XmlElement {
  readonly prefix: string;
  readonly name: string;
  /** `""` for none. */
  namespace = "";
  scope: Scope | undefined;
  attributes: XmlAttribute[] | undefined;
  children: XmlElement[] | undefined;
  texts: TextRecord[] | undefined;
  /** Values of an Array record, which stands for as many elements of this name as it has. */
  run: { readonly record: number; readonly values: readonly TextValue[] } | undefined;
  /** Whether it declares a prefix that it does not itself have, as members do whose items live in another namespace. */
  declaresForOthers = false;

  constructor(prefix: string, name: string) {
    this.prefix = prefix;
    this.name = name;
  }
}

/** The namespace of a prefix, `""` where no default is declared; undefined for a prefix that is not declared. */
export function resolvePrefix(scope: Scope | undefined, prefix: string): string | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.prefix === prefix) return at.namespace;
  if (prefix === "xml") return "http://www.w3.org/XML/1998/namespace";
  return prefix === "" ? "" : undefined;
}
