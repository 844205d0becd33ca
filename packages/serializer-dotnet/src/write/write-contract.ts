import { encodeFailure } from "@waybill/core/serializer";
import { Namespaces } from "../binary-xml/namespaces.js";
import type { LeafType } from "../contract/contract-type.js";
import { holdsInteger, integerTypes } from "../contract/leaf-value.js";
import { xmlName } from "../contract/member-name.js";
import type { ResolvedContract, ResolvedType } from "./contract.js";
import { ElementWriter, type WrittenDocument } from "./element-writer.js";
import { PlainRecord } from "./plain-value.js";
import { writeDate } from "./write-untyped.js";

/** Writes an object as the class that a contract describes. Members that are absent or null are written as null. */
export function writeContract(value: unknown, contract: ResolvedContract): WrittenDocument {
  return new ContractWriter().write(value, contract);
}

/** The prefixes of namespaces, from the innermost element outwards. */
interface Prefixes {
  readonly namespace: string;
  readonly prefix: string;
  readonly outer: Prefixes | undefined;
}

class ContractWriter {
  readonly #writer = new ElementWriter();
  readonly #path: string[] = [];

  write(value: unknown, contract: ResolvedContract): WrittenDocument {
    this.#writer.start("", xmlName(contract.name));
    this.#writer.declare("", contract.namespace);
    this.#writer.declare("i", Namespaces.instance);
    this.#members(value, contract, { namespace: contract.namespace, prefix: "", outer: undefined });
    return this.#writer.finish();
  }

  #members(value: unknown, { name, namespace, members }: ResolvedContract, scope: Prefixes): void {
    if (!(value instanceof PlainRecord))
      this.#refuse(`a value that is not an object, which the contract ${name} needs`);
    const content = new Map(value.entries);
    for (const [member, type] of members) {
      const item = content.get(member);
      content.delete(member);
      this.#path.push(member);
      this.#element(namespace, xmlName(member), item ?? null, type, scope);
      this.#path.pop();
    }
    content.delete("$type");
    const [surplus] = content.keys();
    if (surplus !== undefined) {
      this.#path.push(surplus);
      this.#refuse(`a member that the contract ${name} does not have`);
    }
    this.#writer.end();
  }

  /** An element with its value; the scope already has a prefix for its namespace. */
  #element(namespace: string, name: string, value: unknown, type: ResolvedType, scope: Prefixes): void {
    this.#writer.start(prefixOf(scope, namespace) ?? "", name);
    if (value === null) this.#writer.instanceAttribute("nil", true);
    const inner = this.#declare(contentNamespace(type), scope);
    if (value === null) this.#writer.end();
    else this.#content(value, type, inner);
  }

  #content(value: unknown, type: ResolvedType, scope: Prefixes): void {
    switch (type.kind) {
      case "leaf":
        this.#leaf(value, type.leaf);
        break;
      case "contract":
        this.#members(value, type.contract, scope);
        break;
      case "list":
        this.#list(value, type, scope);
        break;
      case "dictionary":
        this.#dictionary(value, type, scope);
        break;
    }
  }

  /** Declares a prefix on the open element if its content is in a namespace without one. */
  #declare(namespace: string | undefined, scope: Prefixes): Prefixes {
    if (namespace === undefined || prefixOf(scope, namespace) !== undefined) return scope;
    const prefix = freePrefix(scope);
    this.#writer.declare(prefix, namespace);
    return { namespace, prefix, outer: scope };
  }

  #list(value: unknown, type: Extract<ResolvedType, { kind: "list" }>, scope: Prefixes): void {
    if (!Array.isArray(value)) this.#refuse("a value that is not an array, which the contract needs");
    const namespace = contentNamespace(type) ?? "";
    for (const [index, item] of value.entries()) {
      this.#path.push(String(index));
      this.#element(namespace, xmlName(type.itemName), item, type.item, scope);
      this.#path.pop();
    }
    this.#writer.end();
  }

  #dictionary(value: unknown, type: Extract<ResolvedType, { kind: "dictionary" }>, scope: Prefixes): void {
    if (!(value instanceof PlainRecord))
      this.#refuse("a value that is not an object, which the contract needs for a dictionary");
    const prefix = prefixOf(scope, Namespaces.arrays) ?? "";
    for (const [key, item] of value.entries) {
      this.#path.push(key);
      this.#writer.start(prefix, xmlName(type.entryName));
      this.#writer.start(prefix, "Key");
      this.#writer.text(key);
      this.#element(Namespaces.arrays, "Value", item, type.value, scope);
      this.#writer.end();
      this.#path.pop();
    }
    this.#writer.end();
  }

  #leaf(value: unknown, type: LeafType): void {
    const writer = this.#writer;
    if (textTypes.has(type)) writer.text(typeof value === "string" ? value : this.#misfit(type));
    else if (type in integerTypes) this.#integer(value, type as keyof typeof integerTypes);
    else if (type === "boolean") writer.boolean(typeof value === "boolean" ? value : this.#misfit(type));
    else if (type === "float" || type === "double")
      writer.double(typeof value === "number" ? value : this.#misfit(type));
    else if (type === "decimal") this.#decimal(value);
    else if (type === "dateTime") writeDate(writer, value instanceof Date ? value : this.#misfit(type));
    else if (type === "base64Binary") writer.binary(value instanceof Uint8Array ? value : this.#misfit(type));
    else if (type === "char") writer.integer(this.#char(value));
    else this.#refuse("a value of type object, which a contract cannot write: specify its type");
  }

  #char(value: unknown): number {
    return typeof value === "string" && value.length === 1 ? value.charCodeAt(0) : this.#misfit("char");
  }

  #integer(value: unknown, type: keyof typeof integerTypes): void {
    const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
    if (!isInteger) this.#misfit(type);
    const integer = BigInt(value as number | bigint);
    if (!holdsInteger(type, integer)) this.#misfit(type);
    // .NET writes unsigned 64-bit numbers as text.
    if (type === "unsignedLong") this.#writer.text(String(integer));
    else this.#writer.integer(integer);
  }

  #decimal(value: unknown): void {
    const isNumeric = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
    const match = isNumeric ? /^(-?)(\d{1,29})(?:\.(\d{1,28}))?$/.exec(String(value)) : undefined;
    const [, sign, whole = "", fraction = ""] = match ?? this.#misfit("decimal");
    const digits = BigInt(whole + fraction);
    if (digits >= 2n ** 96n) this.#misfit("decimal");
    this.#writer.decimal(sign === "-", fraction.length, digits);
  }

  #misfit(type: LeafType): never {
    return this.#refuse(`a value that .NET's type ${type} cannot represent`);
  }

  #refuse(what: string): never {
    const path = this.#path.length === 0 ? "its root" : `/${this.#path.join("/")}`.slice(0, 256);
    throw encodeFailure(`The body cannot be written as .NET binary XML: at ${path} is ${what}.`);
  }
}

const textTypes: ReadonlySet<LeafType> = new Set(["string", "anyURI", "guid", "duration", "QName"]);

/** The namespace of the elements in a value of this type. Items of a list of contracts are in the contract's namespace. */
function contentNamespace(type: ResolvedType): string | undefined {
  if (type.kind === "contract") return type.contract.namespace;
  if (type.kind === "dictionary") return Namespaces.arrays;
  if (type.kind === "leaf") return undefined;
  return type.item.kind === "contract" ? type.item.contract.namespace : Namespaces.arrays;
}

function prefixOf(scope: Prefixes | undefined, namespace: string): string | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.namespace === namespace) return at.prefix;
  return undefined;
}

/** The next prefix: a, b, c … z, then p27 and so on; `i` is taken. */
function freePrefix(scope: Prefixes): string {
  let count = 0;
  for (let at: Prefixes | undefined = scope; at?.outer !== undefined; at = at.outer) count++;
  const letters = "abcdefghjklmnopqrstuvwxyz";
  return letters[count] ?? `p${count + 1}`;
}
