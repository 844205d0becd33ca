import type { WaybillError } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";
import {
  type AvscResolver,
  type AvscType,
  type BuildOptions,
  LogicalType,
  type ResolveOptions,
} from "../avsc/internals.js";
import type { ValueKind } from "../avsc/value-kind.js";
import type { ReadTap } from "../wire/read-tap.js";
import type { WriteTap } from "../wire/write-tap.js";

/** A schema without `logicalType`, with its other attributes. */
export type UnderlyingSchema = Readonly<Record<string, unknown>>;

/**
 * A logical type: converts between the value of its underlying type and the value that applications see. Subclasses implement it; `toValue`
 * returns undefined for what does not fit.
 */
export abstract class ConvertingType extends LogicalType {
  abstract readonly valueKind: ValueKind;

  constructor(name: string, schema: UnderlyingSchema, options: BuildOptions) {
    super(schema, options);
    this._logicalTypeName = name;
  }

  /** How many more items a converted value counts for. */
  protected get extraItems(): number {
    return 0;
  }

  override _read(tap: ReadTap): unknown {
    tap.takeItems(this.extraItems);
    return this._fromValue(this.underlyingType._read(tap));
  }

  override _skip(tap: ReadTap): void {
    tap.takeItems(this.extraItems);
    this.underlyingType._skip(tap);
  }

  override _write(tap: WriteTap, value: unknown): void {
    tap.fields += this.extraItems;
    super._write(tap, value);
  }

  override _update(resolver: AvscResolver, writer: AvscType, options: ResolveOptions): void {
    const source = writer instanceof ConvertingType ? writer : undefined;
    if (source !== undefined && !this.hasMeaningOf(source)) {
      // Two units of one quantity, such as milliseconds and microseconds: the writer's type converts its number.
      const convert = this.conversionFrom(source);
      if (convert !== undefined) resolver._read = (tap) => convert(source._read(tap));
      return;
    }
    const underlying = this.underlyingType.createResolver(source?.underlyingType ?? writer, options);
    resolver._read = (tap) => {
      tap.takeItems(this.extraItems);
      return this._fromValue(underlying._read(tap));
    };
  }

  /** Whether the bytes of a writer's type have the same meaning here; by default if the logical type is the same. */
  protected hasMeaningOf(writer: ConvertingType): boolean {
    return writer._logicalTypeName === this._logicalTypeName;
  }

  /** Converts a value of another logical type to this one, without loss beyond the precision of this type; undefined by default. */
  protected conversionFrom(_writer: ConvertingType): ((value: unknown) => unknown) | undefined {
    return undefined;
  }

  protected outOfRange(): WaybillError {
    return decodeFailure(
      "value-out-of-range",
      `The Avro body is not readable: a ${this._logicalTypeName} holds a value beyond its range.`,
    );
  }
}
