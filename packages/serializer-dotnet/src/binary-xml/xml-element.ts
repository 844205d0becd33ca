import type { TextRecord, TextValue } from "./text-record.js";

/** An attribute with its resolved namespace, `""` for none. */
export interface XmlAttribute {
  readonly namespace: string;
  readonly name: string;
  readonly text: string;
  /** For an `i:type`: the namespace of the name that is its text; undefined if the prefix is not declared. */
  readonly textNamespace: string | undefined;
}

/** A declaration of a prefix. */
export interface Declaration {
  readonly prefix: string;
  readonly namespace: string;
  readonly element: XmlElement;
  /** That of the same prefix around the element. */
  readonly outer: Declaration | undefined;
}

/** An element as its records describe it, without interpretation. */
export class XmlElement {
  readonly prefix: string;
  readonly name: string;
  /** `""` for none. */
  namespace = "";
  declarations: Declaration[] | undefined;
  attributes: XmlAttribute[] | undefined;
  children: XmlElement[] | undefined;
  /** The first text record, usually the only one; 0 for none. */
  record = 0;
  value: TextValue = "";
  /** All text records, if there are several. */
  #texts: TextRecord[] | undefined;
  /** Values of an Array record, which represents one element of this name for each value. */
  run: { readonly record: number; readonly values: readonly TextValue[] } | undefined;
  /** Whether it declares further prefixes, as members do whose items are in another namespace. */
  declaresForOthers = false;

  constructor(prefix: string, name: string) {
    this.prefix = prefix;
    this.name = name;
  }

  /** Whether it has only one text: no attributes, no children, no further text. */
  get isPlainText(): boolean {
    return (
      this.record !== 0 &&
      this.#texts === undefined &&
      this.attributes === undefined &&
      this.children === undefined
    );
  }

  /** Its text records in their order; undefined for none. */
  get texts(): readonly TextRecord[] | undefined {
    if (this.#texts !== undefined) return this.#texts;
    return this.record === 0 ? undefined : [{ record: this.record, value: this.value }];
  }

  addText(record: number, value: TextValue): void {
    if (this.record === 0) {
      this.record = record;
      this.value = value;
      return;
    }
    this.#texts ??= [{ record: this.record, value: this.value }];
    this.#texts.push({ record, value });
  }
}
