import avsc from "avsc";
import type { ReadTap } from "../wire/read-tap.js";
import type { WriteTap } from "../wire/write-tap.js";

/** Called by avsc with the path of the first value that a type does not hold. */
export type CheckHook = (value: unknown, type: AvscType) => void;

/** How avsc copies a default: `coerce: 2` reads it from JSON, `wrap: 2` takes it for the first branch of a union. */
export interface CopyOptions {
  readonly coerce?: number;
  readonly wrap?: number;
}

/** What avsc hands down while it builds a type. */
export interface BuildOptions {
  readonly registry: Record<string, AvscType>;
  readonly typeHook?: (schema: unknown, options: BuildOptions) => AvscType | undefined;
}

/** What avsc hands down while it builds a resolver. */
export interface ResolveOptions {
  registry?: Record<string, AvscResolver>;
  readonly ignoreNamespaces?: boolean;
}

/** Reads bytes written under one schema as a value of another. */
export interface AvscResolver {
  _read: (tap: ReadTap) => unknown;
}

/**
 * The parts of an avsc type that this package builds on. The underscored ones are internals of avsc 5.7.9, which is why that version is
 * pinned: taps of our own go in where avsc puts its unguarded ones, and subclasses replace what trusts the wire.
 */
export interface AvscType {
  readonly typeName: string;
  readonly branchName: string | undefined;
  readonly name: string | undefined;
  readonly aliases: readonly string[] | undefined;
  schema(): unknown;
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
  readonly symbols: readonly string[];
  readonly _indices: Readonly<Record<string, unknown>>;
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
  /** A fresh copy of the default, or undefined where there is none. */
  defaultValue(): unknown;
}

type RecordFunction = (this: AvscType, tap: ReadTap) => unknown;

interface RecordShape extends AvscType {
  readonly fields: readonly AvscField[];
  readonly _fieldsByName: Readonly<Record<string, AvscField>>;
  _createConstructor(errorStackTraces: boolean, omitRecordMethods: boolean): { prototype: object };
  _createReader(): RecordFunction;
  _createSkipper(): (tap: ReadTap) => void;
  _createWriter(): (tap: WriteTap, value: unknown) => void;
  _checkFields(value: object): boolean;
}

type BuiltBy<Shape> = new (schema: unknown, options: BuildOptions) => Shape;

interface Internals {
  readonly ArrayType: BuiltBy<CollectionShape>;
  readonly BooleanType: BuiltBy<AvscType>;
  readonly BytesType: BuiltBy<AvscType>;
  readonly DoubleType: BuiltBy<AvscType>;
  readonly EnumType: BuiltBy<EnumShape>;
  readonly FixedType: BuiltBy<FixedShape>;
  readonly FloatType: BuiltBy<AvscType>;
  readonly IntType: BuiltBy<AvscType>;
  readonly LogicalType: BuiltBy<LogicalShape>;
  readonly LongType: BuiltBy<AvscType>;
  readonly MapType: BuiltBy<CollectionShape>;
  readonly NullType: BuiltBy<AvscType>;
  readonly RecordType: BuiltBy<RecordShape>;
  readonly StringType: BuiltBy<AvscType>;
  readonly UnwrappedUnionType: BuiltBy<UnionShape>;
  readonly WrappedUnionType: BuiltBy<UnionShape>;
}

export const {
  ArrayType,
  BooleanType,
  BytesType,
  DoubleType,
  EnumType,
  FixedType,
  FloatType,
  IntType,
  LogicalType,
  LongType,
  MapType,
  NullType,
  RecordType,
  StringType,
  UnwrappedUnionType,
  WrappedUnionType,
} = avsc.types as unknown as Internals;

/** avsc's own builder; it writes to the options it is given. */
export function buildType(schema: unknown, options: BuildOptions): AvscType {
  return avsc.Type.forSchema(
    schema as Parameters<typeof avsc.Type.forSchema>[0],
    options as unknown as Parameters<typeof avsc.Type.forSchema>[1],
  ) as unknown as AvscType;
}
