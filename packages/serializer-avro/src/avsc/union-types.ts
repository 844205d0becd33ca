import type { ReadTap } from "../wire/read-tap.js";
import type { WriteTap } from "../wire/write-tap.js";
import {
  type AvscResolver,
  type AvscType,
  type BuildOptions,
  type CheckHook,
  type CopyOptions,
  type ResolveOptions,
  tryResolve,
  UnwrappedUnionType,
  WrappedUnionType,
} from "./internals.js";
import { verdict } from "./primitive-types.js";
import { avroName, builderName } from "./type-names.js";
import { isPlainObject, kindOfType, valueKind } from "./value-kind.js";

/** A union whose branches are distinguished by the kind of the value, so that values are not wrapped. */
export class PlainUnionType extends UnwrappedUnionType {
  constructor(branches: readonly AvscType[], options: BuildOptions) {
    super(branches, options);
    for (const [index, type] of this.types.entries()) this._bucketIndices[kindOfType(type)] = index;
  }

  override _getIndex(value: unknown): number | undefined {
    const kind = valueKind(value);
    return kind === undefined ? undefined : this._bucketIndices[kind];
  }

  override _read(tap: ReadTap): unknown {
    return readBranch(this.types, tap)._read(tap);
  }

  override _skip(tap: ReadTap): void {
    readBranch(this.types, tap)._skip(tap);
  }

  override _write(tap: WriteTap, value: unknown): void {
    const index = this._getIndex(value);
    const type = index === undefined ? undefined : this.types[index];
    if (index === undefined || type === undefined) tap.refuse();
    tap.writeLong(index);
    type._write(tap, value);
  }

  override _update(resolver: AvscResolver, writer: AvscType, options: ResolveOptions): void {
    const found = resolveBranch(this.types, writer, options);
    if (found !== undefined) resolver._read = (tap) => found.resolver._read(tap);
  }
}

/**
 * A union of branches that the kind of a value cannot distinguish: values are `null` or `{ "<branch name>": value }`, as in Avro's JSON
 * encoding.
 */
export class NamedUnionType extends WrappedUnionType {
  override _read(tap: ReadTap): unknown {
    const type = readBranch(this.types, tap);
    return readWrapped(type, type, tap);
  }

  override _skip(tap: ReadTap): void {
    readBranch(this.types, tap)._skip(tap);
  }

  override _check(value: unknown, flags?: number, hook?: CheckHook, path?: string[]): boolean {
    const branch = branchOf(this, value);
    if (branch === undefined) return verdict(false, this, value, hook);
    path?.push(nameOf(branch.type));
    const fits = branch.type._check(branch.value, flags, hook, path);
    path?.pop();
    return fits;
  }

  override _write(tap: WriteTap, value: unknown): void {
    const branch = branchOf(this, value);
    if (branch === undefined) tap.refuse();
    // The object around the value counts as a level, too.
    if (++tap.depth > tap.maxDepth && branch.value !== null) tap.failDepth();
    tap.writeLong(branch.index);
    branch.type._write(tap, branch.value);
    tap.depth--;
  }

  override _copy(value: unknown, options?: CopyOptions): unknown {
    const [first] = this.types;
    const branch = options?.wrap === 2 ? first && { type: first, value, index: 0 } : branchOf(this, value);
    if (branch === undefined) throw new TypeError("the default does not fit its type");
    return wrap(branch.type, branch.type._copy(branch.value, options));
  }

  override _update(resolver: AvscResolver, writer: AvscType, options: ResolveOptions): void {
    const found = resolveBranch(this.types, writer, options);
    if (found !== undefined) resolver._read = (tap) => readWrapped(found.type, found.resolver, tap);
  }
}

/** Whether the branches need their names, because two of them accept values of one kind. */
export function isAmbiguous(branches: readonly AvscType[]): boolean {
  return new Set(branches.map(kindOfType)).size < branches.length;
}

function readBranch(types: readonly AvscType[], tap: ReadTap): AvscType {
  const start = tap.pos;
  const type = types[tap.readInt()];
  if (type === undefined) throw tap.failure("value-out-of-range", "a union index has no branch", start);
  return type;
}

// A function and not a private method: avsc freezes its types before a subclass could add anything to them.
function branchOf(
  union: NamedUnionType,
  value: unknown,
): { readonly type: AvscType; readonly value: unknown; readonly index: number } | undefined {
  const keys = isPlainObject(value) ? Object.keys(value) : [];
  const name = value === null ? "null" : keys.length === 1 ? (keys[0] ?? "") : "";
  const index = union._branchIndices[builderName(name)];
  const type = typeof index === "number" ? union.types[index] : undefined;
  if (type === undefined) return undefined;
  const inner = value === null ? null : (value as Record<string, unknown>)[name];
  return { type, value: inner, index: index as number };
}

function readWrapped(type: AvscType, reader: Pick<AvscType, "_read">, tap: ReadTap): unknown {
  if (type.typeName === "null") return reader._read(tap);
  if (++tap.depth > tap.maxDepth) tap.failDepth();
  const value = wrap(type, reader._read(tap));
  tap.depth--;
  return value;
}

function wrap(type: AvscType, value: unknown): unknown {
  return type.typeName === "null" ? null : { [nameOf(type)]: value };
}

function nameOf({ branchName = "" }: AvscType): string {
  return avroName(branchName);
}

/** The branch that reads what the writer wrote: first one of the same type and name, then the first that can be resolved. */
function resolveBranch(
  branches: readonly AvscType[],
  writer: AvscType,
  options: ResolveOptions,
): { readonly type: AvscType; readonly resolver: AvscResolver } | undefined {
  const isSame = (type: AvscType) => type.typeName === writer.typeName && type.name === writer.name;
  for (const type of [...branches.filter(isSame), ...branches.filter((type) => !isSame(type))]) {
    const resolver = tryResolve(type, writer, options);
    if (resolver !== undefined) return { type, resolver };
  }
  return undefined;
}
