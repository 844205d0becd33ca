import { decodeFailure, type WaybillError } from "@waybill/core";
import {
  type AvscResolver,
  type AvscType,
  type BuildOptions,
  LogicalType,
  type ResolveOptions,
} from "../avsc/internals.js";
import type { ValueKind } from "../avsc/value-kind.js";
import type { ReadTap } from "../wire/read-tap.js";

/** A schema with `logicalType` taken off it, and the rest of its attributes. */
export type UnderlyingSchema = Readonly<Record<string, unknown>>;

/**
 * A logical type: converts between what its underlying type holds and the value that applications see. Subclasses say how; `toValue`
 * returns undefined for what does not fit.
 */
export abstract class ConvertingType extends LogicalType {
  abstract readonly valueKind: ValueKind;

  constructor(name: string, schema: UnderlyingSchema, options: BuildOptions) {
    super(schema, options);
    this._logicalTypeName = name;
  }

  override _read(tap: ReadTap): unknown {
    return this._fromValue(this.underlyingType._read(tap));
  }

  override _update(resolver: AvscResolver, writer: AvscType, options: ResolveOptions): void {
    const source = writer instanceof ConvertingType ? writer : undefined;
    if (source !== undefined && !this.readsValuesOf(source)) return;
    if (source !== undefined && source._logicalTypeName !== this._logicalTypeName) {
      // Two units of one thing, such as milliseconds and microseconds: the writer's type knows what its number means.
      resolver._read = (tap) => source._read(tap);
      return;
    }
    const underlying = this.underlyingType.createResolver(source?.underlyingType ?? writer, options);
    resolver._read = (tap) => this._fromValue(underlying._read(tap));
  }

  /** Whether this type may stand in for a writer's logical type; by default only for the same one. */
  protected readsValuesOf(writer: ConvertingType): boolean {
    return writer._logicalTypeName === this._logicalTypeName;
  }

  protected outOfRange(): WaybillError {
    return decodeFailure(
      "value-out-of-range",
      `The Avro body is not readable: a ${this._logicalTypeName} holds a value beyond its range.`,
    );
  }
}
