import { validationFailure } from "@waybill/core/serializer";
import avsc from "avsc";
import type { ReadTap } from "../wire/read-tap.js";
import type { WriteTap } from "../wire/write-tap.js";

/** Called by avsc with the path of the first value that does not fit its type. */
export type CheckHook = (value: unknown, type: AvscType) => void;

/** How avsc copies a default: `coerce: 2` reads it from JSON, `wrap: 2` treats it as a value of the first branch of a union. */
export interface CopyOptions {
  readonly coerce?: number;
  readonly wrap?: number;
}

/** What avsc passes on while it builds a type. */
export interface BuildOptions {
  readonly registry: Record<string, AvscType>;
  readonly typeHook?: (schema: unknown, options: BuildOptions) => AvscType | undefined;
}

/** What avsc passes on while it builds a resolver. */
export interface ResolveOptions {
  registry?: Record<string, AvscResolver>;
  readonly ignoreNamespaces?: boolean;
}

/** Reads bytes written under one schema as a value of another. */
export interface AvscResolver {
  _read: (tap: ReadTap) => unknown;
  /** Reads without advancing; for a writer's field that several fields of the reader use. */
  _peek: (tap: ReadTap) => unknown;
}

/**
 * The parts of an avsc type that this package builds on. The underscored ones are internals of avsc 5.7.9, which is why that version is
 * pinned: our taps replace those of avsc, which do not check the bytes, and subclasses replace the methods that trust them.
 */
export interface AvscType {
  readonly typeName: string;
  readonly branchName: string | undefined;
  readonly name: string | undefined;
  readonly aliases: readonly string[] | undefined;
  schema(): unknown;
  /** The schema; `derefed` has the names of the types that were written out, and has to be an object without inherited names. */
  _attrs(options: {
    readonly derefed: object;
    readonly exportAttrs: boolean;
    readonly noDeref: boolean;
  }): unknown;
  createResolver(writer: AvscType, options?: ResolveOptions): AvscResolver;
  _read(tap: ReadTap): unknown;
  _skip(tap: ReadTap): void;
  _write(tap: WriteTap, value: unknown): void;
  _check(value: unknown, flags?: number, hook?: CheckHook, path?: string[]): boolean;
  _copy(value: unknown, options?: CopyOptions): unknown;
  _update(resolver: AvscResolver, writer: AvscType, options: ResolveOptions): void;
}

interface CollectionShape extends AvscType {
  readonly itemsType: AvscType;
  readonly valuesType: AvscType;
}

interface EnumShape extends AvscType {
  symbols: readonly string[];
  default: string | undefined;
  _indices: Readonly<Record<string, unknown>>;
  /** Called last by the constructor, which then freezes the type. */
  _createBranchConstructor(): unknown;
}

interface FixedShape extends AvscType {
  readonly size: number;
}

interface UnionShape extends AvscType {
  readonly types: readonly AvscType[];
  readonly _branchIndices: Readonly<Record<string, unknown>>;
  readonly _bucketIndices: Record<string, number>;
  _getIndex(value: unknown): number | undefined;
}

interface LogicalShape extends AvscType {
  readonly underlyingType: AvscType;
  _logicalTypeName: string;
  _fromValue(value: unknown): unknown;
  _toValue(value: unknown): unknown;
}

/** A field as a record type holds it. */
export interface AvscField {
  readonly name: string;
  readonly type: AvscType;
  readonly aliases: readonly string[];
  /** A new copy of the default; undefined if there is none. */
  defaultValue(): unknown;
}

interface RecordShape extends AvscType {
  readonly fields: readonly AvscField[];
  readonly _fieldsByName: Readonly<Record<string, AvscField>>;
  _createConstructor(errorStackTraces: boolean, omitRecordMethods: boolean): { prototype: object };
  _createReader(): (this: AvscType, tap: ReadTap) => unknown;
  _createSkipper(): (tap: ReadTap) => void;
  _createWriter(): (tap: WriteTap, value: unknown) => void;
  _checkFields(value: object): boolean;
}

type BuiltBy<Shape> = new (schema: unknown, options: BuildOptions) => Shape;

export const ArrayType = resolving<CollectionShape>(avsc.types.ArrayType);
export const BooleanType = resolving(avsc.types.BooleanType);
export const BytesType = resolving(avsc.types.BytesType);
export const DoubleType = resolving(avsc.types.DoubleType);
export const EnumType = resolving<EnumShape>(avsc.types.EnumType);
export const FixedType = resolving<FixedShape>(avsc.types.FixedType);
export const FloatType = resolving(avsc.types.FloatType);
export const IntType = resolving(avsc.types.IntType);
export const LogicalType = resolving<LogicalShape>(avsc.types.LogicalType);
export const LongType = resolving(avsc.types.LongType);
export const MapType = resolving<CollectionShape>(avsc.types.MapType);
export const NullType = resolving(avsc.types.NullType);
export const RecordType = resolving<RecordShape>(avsc.types.RecordType);
export const StringType = resolving(avsc.types.StringType);
export const UnwrappedUnionType = resolving<UnionShape>(avsc.types.UnwrappedUnionType);
export const WrappedUnionType = resolving<UnionShape>(avsc.types.WrappedUnionType);

/** The builder of avsc; it changes the options that it gets. */
export function buildType(schema: unknown, options: BuildOptions): AvscType {
  return avsc.Type.forSchema(
    schema as Parameters<typeof avsc.Type.forSchema>[0],
    options as unknown as Parameters<typeof avsc.Type.forSchema>[1],
  ) as unknown as AvscType;
}

/**
 * Resolves a schema in a separate registry, or returns undefined. avsc leaves unfinished types in the registry and would reuse them as complete
 * the next time.
 */
export function tryResolve(
  reader: AvscType,
  writer: AvscType,
  options: ResolveOptions,
): AvscResolver | undefined {
  const registry = Object.assign(Object.create(null) as Record<string, AvscResolver>, options.registry);
  try {
    const resolver = reader.createResolver(writer, { ...options, registry });
    Object.assign(options.registry ?? {}, registry);
    return resolver;
  } catch {
    return undefined;
  }
}

/** The meaning of values that are not converted, such as a number of milliseconds. In a map, because avsc freezes its types. */
const meanings = new WeakMap<AvscType, string>();

/** Records the meaning of a type's values. */
export function withMeaning(type: AvscType, meaning: string | undefined): AvscType {
  if (meaning !== undefined) meanings.set(type, meaning);
  return type;
}

/** A number in one unit must not be read as the same number in another unit. */
function requireSameMeaning(reader: AvscType, writer: AvscType): void {
  const [wanted, written] = [reader, writer].map(
    (type) => meanings.get(type) ?? (type as Partial<LogicalShape>)._logicalTypeName,
  );
  const areConverted = !meanings.has(reader) && !meanings.has(writer);
  if (areConverted || wanted === undefined || written === undefined || wanted === written) return;
  throw new TypeError(`values of logical type ${written} have another meaning than those of ${wanted}`);
}

/**
 * Lets a type read a writer's union if at least one branch can be read; a body with another branch is a
 * `validationFailure`. avsc refuses the whole schema. Source: Avro specification 1.12, "Schema Resolution".
 */
function resolving<Shape extends AvscType = AvscType>(builder: unknown): BuiltBy<Shape> {
  class Resolving extends (builder as BuiltBy<AvscType>) {
    override createResolver(writer: AvscType, options: ResolveOptions = {}): AvscResolver {
      requireSameMeaning(this, writer);
      const branches = (writer as Partial<UnionShape>).types;
      if (branches === undefined) return super.createResolver(writer, options);
      const resolvers = branches.map((branch) => tryResolve(this, branch, options));
      const first = resolvers.findIndex((resolver) => resolver !== undefined);
      // Reports the reason of the first branch when none can be read.
      if (first < 0) return super.createResolver(branches[0] ?? writer, options);
      return unionResolver(resolvers);
    }
  }
  return Resolving as unknown as BuiltBy<Shape>;
}

function unionResolver(resolvers: readonly (AvscResolver | undefined)[]): AvscResolver {
  function read(tap: ReadTap): unknown {
    const start = tap.pos;
    const index = tap.readInt();
    if (!(index in resolvers)) throw tap.failure("value-out-of-range", "a union index has no branch", start);
    const resolver = resolvers[index];
    if (resolver === undefined)
      throw validationFailure(
        `The Avro body has a union branch that the reader schema does not accept (offset ${start}).`,
      );
    return resolver._read(tap);
  }
  function peek(tap: ReadTap): unknown {
    const { pos, depth, itemsLeft } = tap;
    const value = read(tap);
    tap.pos = pos;
    tap.depth = depth;
    tap.itemsLeft = itemsLeft;
    return value;
  }
  return { _read: read, _peek: peek };
}
