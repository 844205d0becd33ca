import { ByteCursor } from "./byte-cursor.js";
import { Namespaces } from "./namespaces.js";
import { Prefixes } from "./prefixes.js";
import { Records } from "./records.js";
import { readTextValue, refuseRecord, type TextValue, xmlText } from "./text-record.js";
import { type XmlAttribute, XmlElement } from "./xml-element.js";

/** Maximum depth; real contracts have tens of levels. */
const maxElementDepth = 1000;

/** Sizes of the values that an Array record may hold, by record type with end element. Source: [MC-NBFX] 2.2.3.1. */
const arraySizes: Readonly<Record<number, number>> = Object.freeze({
  181: 1,
  139: 2,
  141: 4,
  143: 8,
  145: 4,
  147: 8,
  149: 16,
  151: 8,
  175: 8,
  177: 16,
});

/**
 * Reads bytes that are exactly one element of .NET binary XML, without a string table. Keeps its own stack and checks each length before
 * it allocates. Throws `decodeFailure` with the offset. Source: [MC-NBFX].
 */
export function readDocument(bytes: Uint8Array, maxNodes: number): XmlElement {
  return new DocumentReader(bytes, maxNodes).read();
}

interface UnresolvedAttribute {
  readonly prefix: string;
  readonly name: string;
  readonly text: string;
}

class DocumentReader {
  readonly #cursor: ByteCursor;
  readonly #open: XmlElement[] = [];
  readonly #prefixes = new Prefixes();
  #current: XmlElement | undefined;

  constructor(bytes: Uint8Array, maxNodes: number) {
    this.#cursor = new ByteCursor(bytes, maxNodes);
  }

  read(): XmlElement {
    const cursor = this.#cursor;
    let root: XmlElement | undefined;
    do {
      const record = cursor.uint8();
      if (record >= Records.zero) this.#addText(record);
      else if (record >= Records.shortElement) root = this.#addElement(record) ?? root;
      else if (record === Records.endElement) this.#close();
      else if (record === Records.comment) cursor.name();
      else if (record === Records.array) this.#addRun();
      else this.#refuse(record);
    } while (root === undefined || this.#current !== undefined);
    if (!cursor.isAtEnd) cursor.fail("trailing-bytes", "bytes follow the root element");
    return root;
  }

  #addText(record: number): void {
    const current = this.#requireOpen();
    const type = record & 0xfe;
    // The first text of an element is counted with it.
    if (current.record !== 0) this.#cursor.count(1);
    current.addText(type, readTextValue(this.#cursor, type));
    if (record !== type) {
      // Lists end with a separate record, so "list with end" does not exist.
      if (type === Records.startList) this.#refuse(record);
      this.#close();
    }
  }

  /** Reads an element's start, and its content if that is a single text; otherwise opens it. Returns it if it is the root. */
  #addElement(record: number): XmlElement | undefined {
    const parent = this.#current;
    const element = this.#readStart(record);
    if (this.#open.length >= maxElementDepth) {
      this.#cursor.fail("depth-exceeded", `elements nested deeper than ${maxElementDepth}`);
    }
    if (parent !== undefined) {
      if (parent.children === undefined) parent.children = [element];
      else parent.children.push(element);
      if (this.#takeOnlyText(element)) return undefined;
    }
    this.#open.push(element);
    this.#current = element;
    return parent === undefined ? element : undefined;
  }

  /** Most elements are members with one text, whose record also ends the element: they need not be opened. */
  #takeOnlyText(element: XmlElement): boolean {
    const cursor = this.#cursor;
    const record = cursor.bytes[cursor.offset];
    if (record === undefined || record <= Records.zero || (record & 1) === 0) return false;
    const type = record & 0xfe;
    // A list has no record with an end; the general path refuses it.
    if (type === Records.startList) return false;
    cursor.offset++;
    element.addText(type, readTextValue(cursor, type));
    this.#prefixes.leave(element);
    return true;
  }

  #readStart(record: number): XmlElement {
    const cursor = this.#cursor;
    cursor.count(1);
    const element = new XmlElement(this.#elementPrefix(record), cursor.name());
    if (element.name === "") cursor.fail("malformed", "an element without a name");
    const parent = this.#current;
    const next = cursor.bytes[cursor.offset];
    if (next !== undefined && next >= Records.shortAttribute && next < Records.shortElement) {
      this.#readAttributes(element);
    }
    // Most members are in the namespace of their object.
    const isAsParent = element.prefix === parent?.prefix && element.declarations === undefined;
    element.namespace = isAsParent ? parent.namespace : this.#namespaceOf(element.prefix);
    return element;
  }

  #elementPrefix(record: number): string {
    if (record === Records.shortElement) return "";
    if (record === Records.element) return this.#cursor.name();
    if (record >= Records.firstPrefixElement && record <= Records.lastElement) {
      return String.fromCharCode(0x61 + record - Records.firstPrefixElement);
    }
    return this.#refuse(record);
  }

  /** All attribute records of an element, then their prefixes: declarations may follow their use. */
  #readAttributes(element: XmlElement): void {
    const cursor = this.#cursor;
    const found: UnresolvedAttribute[] = [];
    for (;;) {
      const record = cursor.bytes[cursor.offset];
      if (record === undefined || record < Records.shortAttribute || record >= Records.shortElement) break;
      cursor.offset++;
      if (record === Records.shortXmlns || record === Records.xmlns) {
        this.#declare(element, record === Records.xmlns ? cursor.name() : "");
      } else {
        const prefix = this.#attributePrefix(record);
        found.push({ prefix, name: cursor.name(), text: this.#attributeText() });
        cursor.count(1);
      }
    }
    if (found.length > 0) element.attributes = this.#resolved(found);
  }

  #declare(element: XmlElement, prefix: string): void {
    this.#cursor.count(1);
    if (!this.#prefixes.declare(element, prefix, this.#cursor.name()))
      this.#cursor.fail("malformed", "a prefix that is declared twice");
    if (prefix !== "" && prefix !== element.prefix) element.declaresForOthers = true;
  }

  #attributePrefix(record: number): string {
    if (record === Records.shortAttribute) return "";
    if (record === Records.attribute) return this.#cursor.name();
    if (record >= Records.firstPrefixAttribute) {
      return String.fromCharCode(0x61 + record - Records.firstPrefixAttribute);
    }
    return this.#refuse(record);
  }

  #attributeText(): string {
    const record = this.#cursor.uint8();
    if (record < Records.zero || record % 2 === 1) {
      this.#cursor.fail("malformed", "an attribute value that is not a text record", this.#cursor.offset - 1);
    }
    return xmlText({ record, value: readTextValue(this.#cursor, record) });
  }

  #resolved(found: readonly UnresolvedAttribute[]): XmlAttribute[] {
    const [only] = found;
    if (only !== undefined && found.length === 1) return [this.#resolvedOne(only)];
    const seen = new Set<string>();
    return found.map((each) => {
      const attribute = this.#resolvedOne(each);
      const key = attribute.namespace === "" ? attribute.name : `${attribute.namespace}\n${attribute.name}`;
      if (seen.has(key)) this.#cursor.fail("malformed", "a duplicate attribute");
      seen.add(key);
      return attribute;
    });
  }

  #resolvedOne({ prefix, name, text }: UnresolvedAttribute): XmlAttribute {
    if (name === "") this.#cursor.fail("malformed", "an attribute without a name");
    // A default namespace does not apply to attributes. Source: Namespaces in XML 1.0, 6.2.
    const namespace = prefix === "" ? "" : this.#namespaceOf(prefix);
    const isType = name === "type" && namespace === Namespaces.instance;
    return { namespace, name, text, textNamespace: isType ? this.#namespaceOfName(text) : undefined };
  }

  #namespaceOfName(qualified: string): string | undefined {
    const colon = qualified.indexOf(":");
    return this.#prefixes.namespaceOf(colon === -1 ? "" : qualified.slice(0, colon));
  }

  #namespaceOf(prefix: string): string {
    return (
      this.#prefixes.namespaceOf(prefix) ?? this.#cursor.fail("malformed", "a prefix that is not declared")
    );
  }

  /** An Array record: one element's start, then the values of all such elements. */
  #addRun(): void {
    const cursor = this.#cursor;
    const parent = this.#requireOpen();
    const start = cursor.uint8();
    if (start < Records.shortElement || start > Records.lastElement) this.#refuse(start);
    const element = this.#readStart(start);
    this.#prefixes.leave(element);
    if (cursor.uint8() !== Records.endElement) {
      cursor.fail("malformed", "an array whose element is not closed", cursor.offset - 1);
    }
    const record = cursor.uint8();
    const size =
      arraySizes[record] ??
      cursor.fail("malformed", "an array of a type that arrays cannot have", cursor.offset - 1);
    const count = cursor.multiByteInt31();
    if (count === 0) cursor.fail("malformed", "an array without items");
    if (count > cursor.left / size) cursor.fail("count-exceeded", "more items declared than bytes are left");
    cursor.count(count);
    element.run = { record: record & 0xfe, values: this.#readValues(record & 0xfe, count) };
    if (parent.children === undefined) parent.children = [element];
    else parent.children.push(element);
  }

  #readValues(record: number, count: number): TextValue[] {
    const values: TextValue[] = [];
    for (let index = 0; index < count; index++) values.push(readTextValue(this.#cursor, record));
    return values;
  }

  #close(): void {
    this.#prefixes.leave(this.#requireOpen());
    this.#open.pop();
    this.#current = this.#open[this.#open.length - 1];
  }

  #requireOpen(): XmlElement {
    return (
      this.#current ??
      this.#cursor.fail("malformed", "a record outside of the root element", this.#cursor.offset - 1)
    );
  }

  #refuse(record: number): never {
    return refuseRecord(this.#cursor, record, " does not belong here");
  }
}
