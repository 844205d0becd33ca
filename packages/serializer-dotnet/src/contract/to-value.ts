import { decodeFailure } from "@waybill/core/serializer";
import { type DateTime, parseDateTime, toDate, toOffsetText } from "../binary-xml/date-time.js";
import { Namespaces } from "../binary-xml/namespaces.js";
import { Records } from "../binary-xml/records.js";
import { type TextRecord, xmlText } from "../binary-xml/text-record.js";
import type { XmlAttribute, XmlElement } from "../binary-xml/xml-element.js";
import { type DeclaredType, declaredType, hasTypedName, leafTypeOf } from "./contract-type.js";
import type { DotnetHint } from "./hints.js";
import { type DateForm, misfit, recordValue, singleValue, typedValue } from "./leaf-value.js";
import { memberName } from "./member-name.js";

/** How elements become values. */
export interface ValueRules {
  readonly dates: DateForm;
  readonly hints: ReadonlyMap<string, DotnetHint> | undefined;
  /** Maximum nesting of containers. */
  readonly maxDepth: number;
  /** Maximum number of values in all lists, dictionaries and objects. */
  readonly maxItems: number;
}

/** The value of a root element by the conventions of DataContractSerializer. Throws `decodeFailure`. */
export function toValue(root: XmlElement, rules: ValueRules): unknown {
  return new ValueReader(rules).read(root);
}

/** The path of an element. Items of lists have no path of their own, so hints do not apply to them. */
type Place = "root" | "member" | "item";

/** What the attributes of an element specify about its value; other attributes are data. */
interface Marks {
  readonly isNil: boolean;
  readonly type: DeclaredType | undefined;
  readonly id: string | undefined;
  readonly ref: string | undefined;
  readonly others: readonly XmlAttribute[];
}

const noAttributes: readonly XmlAttribute[] = Object.freeze([]);
const noTexts: readonly TextRecord[] = Object.freeze([]);
const noChildren: readonly XmlElement[] = Object.freeze([]);
const unmarked: Marks = Object.freeze({
  isNil: false,
  type: undefined,
  id: undefined,
  ref: undefined,
  others: noAttributes,
});

/** The members of an object that occur more than once. */
interface Repeated {
  lists: Map<string, unknown[]> | undefined;
}

class ValueReader {
  readonly #rules: ValueRules;
  readonly #byId = new Map<string, unknown>();
  #depth = 0;
  #itemsLeft: number;

  constructor(rules: ValueRules) {
    this.#rules = rules;
    this.#itemsLeft = rules.maxItems;
  }

  read(root: XmlElement): unknown {
    return this.#value(root, "", "root");
  }

  #value(element: XmlElement, path: string, place: Place): unknown {
    const marks = element.attributes === undefined ? unmarked : this.#marks(element.attributes);
    if (marks.isNil) return null;
    if (marks.ref !== undefined) return this.#referenced(marks.ref);
    const hint = place === "item" ? undefined : this.#rules.hints?.get(path);
    if (element.isPlainText && hint === undefined && !hasTypedName(element))
      return singleValue(element, this.#rules.dates);
    const isMixed = element.children !== undefined && element.texts !== undefined && hasText(element.texts);
    if (element.children === undefined || element.children.length === 0) {
      if (marks.others.length === 0) return this.#leaf(element, marks, hint, place);
    } else if (!isMixed && marks.others.length === 0) {
      return this.#container(element, element.children, marks, hint, path);
    }
    return this.#object(element, marks, path);
  }

  #marks(attributes: readonly XmlAttribute[]): Marks {
    let isNil = false;
    let type: DeclaredType | undefined;
    let id: string | undefined;
    let ref: string | undefined;
    const others: XmlAttribute[] = [];
    for (const attribute of attributes) {
      const { namespace, name, text } = attribute;
      if (namespace === Namespaces.instance && name === "nil") isNil = text === "true" || text === "1";
      else if (namespace === Namespaces.instance && name === "type") {
        type = declaredType(attribute) ?? fail("malformed", "an i:type with a prefix that is not declared");
      } else if (namespace === Namespaces.serialization && name === "Id") id = text;
      else if (namespace === Namespaces.serialization && name === "Ref") ref = text;
      else if (!isUsedUp(attribute)) others.push(attribute);
    }
    return { isNil, type, id, ref, others };
  }

  #referenced(id: string): unknown {
    if (!this.#byId.has(id)) fail("malformed", "a z:Ref without its z:Id");
    return this.#byId.get(id);
  }

  /** Registers a container before it is filled, because its content may refer to it. */
  #register<Value>(marks: Marks, value: Value): Value {
    if (marks.id === undefined) return value;
    if (this.#byId.has(marks.id)) fail("malformed", "a duplicate z:Id");
    this.#byId.set(marks.id, value);
    return value;
  }

  #leaf(element: XmlElement, marks: Marks, hint: DotnetHint | undefined, place: Place): unknown {
    const texts = element.texts ?? noTexts;
    const hintedLeaf = hint === "array" || hint === "dictionary" ? undefined : hint;
    if (hint === "array" && texts.length === 0) return this.#register(marks, []);
    if (hint === "dictionary" && texts.length === 0) return this.#register(marks, {});
    const type = hintedLeaf ?? leafTypeOf(element, marks.type);
    if (type !== undefined) return this.#typed(type, texts);
    if (texts.length > 0) return recordValue(texts, this.#rules.dates);
    const empty = emptyValue(element, marks.type, place === "root");
    if (empty === "") return this.#register(marks, "");
    this.#enter();
    this.#depth--;
    return this.#register(marks, empty);
  }

  #typed(type: Parameters<typeof typedValue>[0], texts: readonly TextRecord[]): unknown {
    const value = typedValue(type, texts, this.#rules.dates);
    return value === misfit ? fail("value-out-of-range", `text that does not fit its type ${type}`) : value;
  }

  #container(
    element: XmlElement,
    children: readonly XmlElement[],
    marks: Marks,
    hint: DotnetHint | undefined,
    path: string,
  ): unknown {
    const offset = offsetInstant(children, this.#rules.dates);
    if (offset !== undefined) return offset;
    if (children.every(isDictionaryEntry)) return this.#dictionary(children, marks, path);
    if (hint === "array" || isArray(element, children, marks.type)) return this.#array(children, marks, path);
    return this.#object(element, marks, path);
  }

  #array(children: readonly XmlElement[], marks: Marks, path: string): unknown[] {
    const items: unknown[] = this.#register(marks, []);
    this.#enter();
    for (const child of children) {
      if (child.run !== undefined)
        for (const value of this.#runValues(child)) items.push(this.#counted(value));
      else items.push(this.#counted(this.#value(child, path, "item")));
    }
    this.#depth--;
    return items;
  }

  /** The values of an Array record: each is an element of one text. */
  *#runValues(element: XmlElement): Iterable<unknown> {
    const { record, values } = element.run as NonNullable<XmlElement["run"]>;
    const marks = element.attributes === undefined ? unmarked : this.#marks(element.attributes);
    const type = leafTypeOf(element, marks.type);
    for (const value of values) {
      const texts = [{ record, value }];
      if (marks.others.length > 0) yield this.#attributed(marks.others, texts);
      else yield type === undefined ? recordValue(texts, this.#rules.dates) : this.#typed(type, texts);
    }
  }

  #attributed(attributes: readonly XmlAttribute[], texts: readonly TextRecord[]): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (const { name, text } of attributes) setOwn(value, `@${name}`, text);
    setOwn(value, "#text", recordValue(texts, this.#rules.dates));
    return value;
  }

  /** A plain object if every key is a string, else a `Map`. */
  #dictionary(entries: readonly XmlElement[], marks: Marks, path: string): unknown {
    const hasTextKeys = entries.every(({ name }) => name.startsWith("KeyValueOfstring"));
    const hasTextValues = entries.every(({ name }) => name === "KeyValueOfstringstring");
    const inner = this.#rules.hints === undefined ? "" : path === "" ? "*" : `${path}.*`;
    this.#enter();
    const keys = entries.map(({ children }) => {
      const key = (children as XmlElement[])[0] as XmlElement;
      return hasTextKeys ? this.#text(key) : this.#value(key, inner, "item");
    });
    const record: Record<string, unknown> | undefined = keys.every((key) => typeof key === "string")
      ? {}
      : undefined;
    const container = this.#register(marks, record ?? new Map<unknown, unknown>());
    for (const [index, { children }] of entries.entries()) {
      const element = (children as XmlElement[])[1] as XmlElement;
      const value =
        hasTextValues && isPlainLeaf(element) ? this.#text(element) : this.#value(element, inner, "member");
      this.#counted(value);
      if (container instanceof Map) container.set(keys[index], value);
      else setOwn(container, keys[index] as string, value);
    }
    this.#depth--;
    return container;
  }

  #text(element: XmlElement): string {
    return (element.texts ?? noTexts).map(xmlText).join("");
  }

  #object(element: XmlElement, marks: Marks, path: string): Record<string, unknown> {
    const value: Record<string, unknown> = this.#register(marks, {});
    this.#enter();
    if (marks.type !== undefined && !isBuiltIn(marks.type)) setOwn(value, "$type", marks.type.name);
    for (const { name, text } of marks.others) setOwn(value, `@${name}`, text);
    this.#members(value, element.children ?? noChildren, path);
    const texts = element.texts ?? noTexts;
    if (texts.length > 0 && hasText(texts)) setOwn(value, "#text", recordValue(texts, this.#rules.dates));
    this.#depth--;
    return value;
  }

  #members(value: Record<string, unknown>, children: readonly XmlElement[], path: string): void {
    const repeated: Repeated = { lists: undefined };
    const { hints, dates } = this.#rules;
    for (const child of children) {
      const key = memberName(child.name);
      if (hints === undefined && child.isPlainText && !hasTypedName(child)) {
        this.#member(value, key, singleValue(child, dates), repeated);
        continue;
      }
      const inner = hints === undefined ? "" : path === "" ? key : `${path}.${key}`;
      if (child.run === undefined) this.#member(value, key, this.#value(child, inner, "member"), repeated);
      else for (const item of this.#runValues(child)) this.#member(value, key, item, repeated);
    }
  }

  #member(value: Record<string, unknown>, key: string, item: unknown, repeated: Repeated): void {
    this.#counted(item);
    if (!Object.hasOwn(value, key)) {
      setOwn(value, key, item);
      return;
    }
    const list = repeated.lists?.get(key);
    if (list !== undefined) {
      list.push(item);
      return;
    }
    const both = [value[key], item];
    repeated.lists ??= new Map();
    repeated.lists.set(key, both);
    setOwn(value, key, both);
  }

  /** A byte string costs as much as four other values. */
  #counted<Value>(value: Value): Value {
    this.#itemsLeft -= value instanceof Uint8Array ? 4 : 1;
    if (this.#itemsLeft < 0) fail("items-exceeded", `more than ${this.#rules.maxItems} items`);
    return value;
  }

  #enter(): void {
    this.#depth++;
    if (this.#depth > this.#rules.maxDepth) {
      fail("depth-exceeded", `values nested deeper than ${this.#rules.maxDepth} levels`);
    }
  }
}

function fail(reason: Parameters<typeof decodeFailure>[0], what: string): never {
  throw decodeFailure(reason, `The .NET body has ${what}.`);
}

/** Refuses names that could reach a prototype, as in every format. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") fail("key-forbidden", 'a key "__proto__"');
  if (
    key === "constructor" &&
    typeof value === "object" &&
    value !== null &&
    Object.hasOwn(value, "prototype")
  )
    fail("key-forbidden", 'a key "prototype" under "constructor"');
  target[key] = value;
}

/** Attributes that the serializer itself writes, such as `z:Size` of arrays. */
function isUsedUp({ namespace }: XmlAttribute): boolean {
  return namespace === Namespaces.instance || namespace === Namespaces.serialization;
}

function isBuiltIn({ namespace }: DeclaredType): boolean {
  return (
    namespace === Namespaces.schema ||
    namespace === Namespaces.serialization ||
    namespace === Namespaces.arrays
  );
}

function emptyValue(element: XmlElement, type: DeclaredType | undefined, isRoot: boolean): unknown {
  const name = type?.name ?? element.name;
  if (name.startsWith("ArrayOfKeyValueOf")) return {};
  if (name.startsWith("ArrayOf")) return [];
  if (type !== undefined && !isBuiltIn(type)) return { $type: type.name };
  if (isRoot) return {};
  return element.declaresForOthers ? [] : "";
}

function hasText(texts: readonly TextRecord[]): boolean {
  return texts.some(({ value }) => typeof value !== "string" || /\S/.test(value));
}

function isPlainLeaf(element: XmlElement | undefined): boolean {
  return element !== undefined && element.children === undefined && element.attributes === undefined;
}

function isDictionaryEntry({ name, children, record, attributes, run }: XmlElement): boolean {
  if (!name.startsWith("KeyValueOf") || run !== undefined || record !== 0 || attributes !== undefined)
    return false;
  const [key, value] = children ?? noChildren;
  return children?.length === 2 && key?.name === "Key" && value?.name === "Value" && !key.run && !value.run;
}

function isArray(
  element: XmlElement,
  children: readonly XmlElement[],
  type: DeclaredType | undefined,
): boolean {
  const [first] = children;
  if (first === undefined) return false;
  if ((type?.name ?? element.name).startsWith("ArrayOf") || element.name.startsWith("ArrayOf")) return true;
  if (children.every(({ namespace }) => namespace === Namespaces.arrays)) return true;
  if (children.every(({ run }) => run !== undefined)) return true;
  if (children.every(({ name }) => name.startsWith("KeyValuePairOf"))) return true;
  return (
    children.length >= 2 &&
    children.every(({ name, namespace }) => name === first.name && namespace === first.namespace)
  );
}

/** A `DateTimeOffset`: its UTC instant, and the offset in minutes that its clock showed. */
function offsetInstant(children: readonly XmlElement[], dates: DateForm): Date | string | undefined {
  if (children.length !== 2) return undefined;
  const [time, offset] = children;
  if (time?.name !== "DateTime" || time.namespace !== Namespaces.system || offset?.name !== "OffsetMinutes")
    return undefined;
  const [timeText] = time.texts ?? noTexts;
  const minutes = offset.texts?.[0]?.value;
  if (timeText === undefined || typeof minutes !== "number" || Math.abs(minutes) > 14 * 60) return undefined;
  const instant =
    timeText.record === Records.dateTime ? (timeText.value as DateTime) : parseDateTime(xmlText(timeText));
  if (instant === undefined) return undefined;
  return dates === "iso" ? toOffsetText(instant, minutes) : toDate(instant);
}
