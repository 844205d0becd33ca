import type { ReadTap } from "../wire/read-tap.js";
import { newScratch, WriteTap } from "../wire/write-tap.js";
import {
  type AvscField,
  type AvscResolver,
  type AvscType,
  type CopyOptions,
  RecordType,
  type ResolveOptions,
} from "./internals.js";
import { mayBeRecord } from "./value-kind.js";

/** Primitive types whose values a record reads with one call of the tap. */
const directReads: Readonly<Record<string, string>> = Object.freeze({
  boolean: "readBoolean",
  int: "readInt",
  float: "readFloat",
  double: "readDouble",
  string: "readString",
});

/**
 * A record that reads into plain object literals, counts depth, and refuses to write a value with own fields that the schema does not
 * declare. Like avsc it compiles a function per schema; only names that `normalizeSchema` accepted become part of the source text.
 */
export class GuardedRecordType extends RecordType {
  override _createConstructor(errorStackTraces: boolean): { prototype: object } {
    const builder = super._createConstructor(errorStackTraces, true);
    // Resolvers create records with this constructor; the result must equal an object literal, prototype included.
    builder.prototype = Object.prototype;
    return builder;
  }

  override _createReader(): (tap: ReadTap) => unknown {
    const members = this.fields.map(({ name, type }, index) => {
      const direct = directReads[type.typeName];
      return `${name}: ${direct === undefined ? `t${index}._read(tap)` : `tap.${direct}()`}`;
    });
    return compile(
      this.fields.map(({ type }) => type),
      `return function read(tap) {
        if (++tap.depth > tap.maxDepth) tap.failDepth();
        tap.takeItems(${itemsOf(this.fields)});
        const record = { ${members.join(", ")} };
        tap.depth--;
        return record;
      }`,
    ) as (tap: ReadTap) => unknown;
  }

  override _createSkipper(): (tap: ReadTap) => void {
    const fields = this.fields;
    const items = itemsOf(fields);
    return (tap) => {
      if (++tap.depth > tap.maxDepth) tap.failDepth();
      tap.takeItems(items);
      for (const { type } of fields) type._skip(tap);
      tap.depth--;
    };
  }

  override _createWriter(): (tap: WriteTap, value: unknown) => void {
    const constants: unknown[] = [];
    const steps = this.fields.map(({ name, type, defaultValue }, index) => {
      constants.push(type);
      const value = defaultValue();
      if (value === undefined) return `t${index}._write(tap, ${own(name)});`;
      const { binary, items } = writtenDefault(type, value);
      return `const v${index} = ${own(name)};
        if (v${index} === undefined) {
          present--;
          tap.fields += ${items};
          tap.writeBinary(${JSON.stringify(binary)}, ${binary.length});
        }
        else t${index}._write(tap, v${index});`;
    });
    const count = this.fields.length;
    constants.push((value: object) => this._checkFields(value), mayBeRecord);
    return compile(
      constants,
      `return function write(tap, value) {
        if (typeof value !== "object" || value === null || Array.isArray(value)) tap.refuse();
        if ((value.constructor !== Object || Symbol.toStringTag in value) && !t${count + 1}(value)) tap.refuse();
        if (++tap.depth > tap.maxDepth) tap.failDepth();
        tap.fields += ${itemsOf(this.fields)};
        let present = ${count};
        ${steps.join("\n        ")}
        for (const name in value) present--;
        if (present < 0 && !t${count}(value)) tap.refuse();
        tap.depth--;
      }`,
    ) as (tap: WriteTap, value: unknown) => void;
  }

  /** Whether every own field with a value is declared; the check of avsc treats `"constructor"` as declared. */
  override _checkFields(value: object): boolean {
    return (
      !Array.isArray(value) &&
      mayBeRecord(value) &&
      Object.entries(value).every(
        ([name, member]) => member === undefined || Object.hasOwn(this._fieldsByName, name),
      )
    );
  }

  /** Copies a default. */
  override _copy(value: unknown, options?: CopyOptions): unknown {
    const isObject = typeof value === "object" && value !== null;
    return super._copy(isObject ? Object.assign(Object.create(null), value) : value, options);
  }

  override _update(resolver: AvscResolver, writer: AvscType, options: ResolveOptions): void {
    const isRecord = writer instanceof GuardedRecordType;
    super._update.call(withOwnNames(this), resolver, isRecord ? withOwnNames(writer) : writer, options);
    const read = resolver._read;
    const items = itemsOf(this.fields);
    resolver._read = (tap) => {
      if (++tap.depth > tap.maxDepth) tap.failDepth();
      tap.takeItems(items);
      const record = read(tap);
      tap.depth--;
      return record;
    };
  }
}

/** This many scalar fields count as one item: in an object of a fixed shape they cost little more than their bytes. */
const scalarsPerItem = 8;

const scalars: ReadonlySet<string> = new Set([...Object.keys(directReads), "null", "long", "enum"]);

/** How many items the fields of one record count for. */
function itemsOf(fields: readonly AvscField[]): number {
  const others = fields.filter(({ type }) => !isScalar(type)).length;
  return others + Math.ceil((fields.length - others) / scalarsPerItem);
}

function isScalar(type: AvscType): boolean {
  const { types = [type] } = type as { readonly types?: readonly AvscType[] };
  return types.every(({ typeName }) => scalars.has(typeName));
}

/** A member of the value to write, and not what every object inherits under its name. */
function own(name: string): string {
  return name in Object.prototype
    ? `(Object.hasOwn(value, "${name}") ? value.${name} : undefined)`
    : `value.${name}`;
}

/** The type with a letter before the names of its fields, because avsc looks these up in plain objects when it resolves records. */
function withOwnNames(type: GuardedRecordType): GuardedRecordType {
  const fields = type.fields.map((field) =>
    Object.create(field, {
      name: { value: `f${field.name}` },
      aliases: { value: field.aliases.map((alias) => `f${alias}`) },
    }),
  );
  return Object.create(type, { fields: { value: fields } }) as GuardedRecordType;
}

// The constants are the parameters t0, t1, … of a function around the compiled one.
function compile(constants: readonly unknown[], body: string): unknown {
  const names = constants.map((_, index) => `t${index}`);
  return new Function(...names, `"use strict"; ${body}`)(...constants);
}

/** An encoded default, and how many items it counts for. */
function writtenDefault(type: AvscType, value: unknown): { readonly binary: string; readonly items: number } {
  const tap = new WriteTap(newScratch(64), Number.POSITIVE_INFINITY);
  type._write(tap, value);
  return { binary: Buffer.from(tap.copy()).toString("latin1"), items: tap.items + tap.fields };
}
