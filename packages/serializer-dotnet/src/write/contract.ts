import { isLeafType, type LeafType } from "../contract/contract-type.js";

/** A type of a contract's member: a leaf by its name, a list, a dictionary with string keys, or another contract. */
export type DotnetType = LeafType | DotnetListType | DotnetDictionaryType | DotnetContract;

/** A `List<T>` or array. */
export interface DotnetListType {
  readonly arrayOf: DotnetType;
  /** The name of an item's element. Default: the type's or contract's own name. */
  readonly itemName?: string | undefined;
}

/** A `Dictionary<string, T>`. */
export interface DotnetDictionaryType {
  readonly dictionaryOf: DotnetType;
  /** The name of an entry's element. Default: `KeyValueOfstring` and the name of the type. */
  readonly entryName?: string | undefined;
}

/** A class with `[DataContract]`, or one whose public properties DataContractSerializer writes. */
export interface DotnetContract {
  readonly name: string;
  /** The contract's namespace; .NET's default is `http://schemas.datacontract.org/2004/07/` and the CLR namespace. */
  readonly namespace: string;
  /**
   * The members with their types. DataContractSerializer reads them in one order only, by default the ordinal order of their names; they are
   * written in that order.
   */
  readonly members: Readonly<Record<string, DotnetType>>;
  /** `"as-listed"` for contracts that give their members an `Order`, or that inherit: list base members first. Default `"ordinal"`. */
  readonly memberOrder?: "ordinal" | "as-listed" | undefined;
}

/** A contract with all defaults filled in. */
export interface ResolvedContract {
  readonly name: string;
  readonly namespace: string;
  readonly members: readonly (readonly [name: string, type: ResolvedType])[];
}

/** A type with all defaults filled in. */
export type ResolvedType =
  | { readonly kind: "leaf"; readonly leaf: LeafType }
  | { readonly kind: "list"; readonly item: ResolvedType; readonly itemName: string }
  | { readonly kind: "dictionary"; readonly value: ResolvedType; readonly entryName: string }
  | { readonly kind: "contract"; readonly contract: ResolvedContract };

/** Checks and copies a contract; recursive contracts stay recursive. Throws a `TypeError` that names the mistake. */
export function resolveContract(contract: DotnetContract): ResolvedContract {
  return resolve(contract, new Map());
}

function resolve(contract: DotnetContract, known: Map<DotnetContract, ResolvedContract>): ResolvedContract {
  const seen = known.get(contract);
  if (seen !== undefined) return seen;
  const { name, namespace, members, memberOrder = "ordinal" } = contract;
  if (typeof name !== "string" || name === "")
    throw new TypeError("dotnetBinary: a contract must have a name.");
  if (typeof namespace !== "string")
    throw new TypeError(`dotnetBinary: the contract ${name} must have a namespace.`);
  if (typeof members !== "object" || members === null) {
    throw new TypeError(`dotnetBinary: the contract ${name} must have members.`);
  }
  if (memberOrder !== "ordinal" && memberOrder !== "as-listed") {
    throw new TypeError(`dotnetBinary: memberOrder of ${name} must be "ordinal" or "as-listed".`);
  }
  const resolvedMembers: [name: string, type: ResolvedType][] = [];
  const resolved = { name, namespace, members: resolvedMembers };
  known.set(contract, resolved);
  const names = Object.keys(members);
  if (memberOrder === "ordinal") names.sort(ordinal);
  for (const member of names) {
    resolvedMembers.push([member, resolveType(members[member], `${name}.${member}`, known)]);
  }
  return resolved;
}

function resolveType(
  type: DotnetType | undefined,
  where: string,
  known: Map<DotnetContract, ResolvedContract>,
): ResolvedType {
  if (typeof type === "string" && isLeafType(type)) return { kind: "leaf", leaf: type };
  if (typeof type === "object" && type !== null) {
    if ("arrayOf" in type) {
      const item = resolveType(type.arrayOf, where, known);
      return { kind: "list", item, itemName: type.itemName ?? typeName(item) };
    }
    if ("dictionaryOf" in type) {
      const value = resolveType(type.dictionaryOf, where, known);
      return { kind: "dictionary", value, entryName: type.entryName ?? `KeyValueOfstring${typeName(value)}` };
    }
    return { kind: "contract", contract: resolve(type, known) };
  }
  throw new TypeError(
    `dotnetBinary: the type of ${where} must be a leaf type such as "string", { arrayOf }, { dictionaryOf } or a contract.`,
  );
}

/** DataContractSerializer's name of a type in the names of items and entries. */
function typeName(type: ResolvedType): string {
  switch (type.kind) {
    case "leaf":
      return type.leaf;
    case "contract":
      return type.contract.name;
    case "list":
      return `ArrayOf${typeName(type.item)}`;
    case "dictionary":
      return `ArrayOf${type.entryName}`;
  }
}

/** By UTF-16 units, like `String.CompareOrdinal`. */
function ordinal(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
