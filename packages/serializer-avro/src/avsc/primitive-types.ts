import { validationFailure } from "@waybill/core/serializer";
import type { ReadTap } from "../wire/read-tap.js";
import { isWellFormed, type WriteTap } from "../wire/write-tap.js";
import {
  type AvscResolver,
  type AvscType,
  type BuildOptions,
  BytesType,
  type CheckHook,
  type CopyOptions,
  EnumType,
  FixedType,
  IntType,
  LongType,
  type ResolveOptions,
  StringType,
} from "./internals.js";

/** An int; the one of avsc throws for a bigint without naming the problem. */
export class GuardedIntType extends IntType {
  override _check(value: unknown, _flags?: number, hook?: CheckHook): boolean {
    return verdict(typeof value === "number" && value === (value | 0), this, value, hook);
  }

  override _write(tap: WriteTap, value: unknown): void {
    if (typeof value !== "number" || value !== (value | 0)) tap.refuse();
    tap.writeLong(value);
  }
}

/** A long of the whole 64-bit range: a number when it is a safe integer, otherwise a bigint. The one of avsc loses signs beyond 2^52. */
export class GuardedLongType extends LongType {
  override _read(tap: ReadTap): unknown {
    return tap.readExactLong();
  }

  override _check(value: unknown, _flags?: number, hook?: CheckHook): boolean {
    return verdict(Number.isSafeInteger(value) || isLong(value), this, value, hook);
  }

  override _write(tap: WriteTap, value: unknown): void {
    if (typeof value === "number" && Number.isSafeInteger(value)) tap.writeLong(value);
    else if (isLong(value)) tap.writeBigLong(value);
    else tap.refuse();
  }
}

/** A long that is always read as a bigint. */
export class BigIntLongType extends GuardedLongType {
  override _read(tap: ReadTap): unknown {
    return BigInt(tap.readExactLong());
  }

  override _copy(value: unknown, options?: CopyOptions): unknown {
    const copy = super._copy(value, options);
    return typeof copy === "number" ? BigInt(copy) : copy;
  }

  override _update(resolver: AvscResolver, writer: AvscType): void {
    if (writer.typeName === "int" || writer.typeName === "long")
      resolver._read = (tap) => BigInt(writer._read(tap) as number | bigint);
  }
}

/** A string; one with a lone surrogate, which UTF-8 cannot represent, does not fit. */
export class GuardedStringType extends StringType {
  override _check(value: unknown, _flags?: number, hook?: CheckHook): boolean {
    return verdict(typeof value === "string" && isWellFormed(value), this, value, hook);
  }

  override _write(tap: WriteTap, value: unknown): void {
    if (typeof value !== "string") tap.refuse();
    tap.writeString(value);
  }
}

/** Bytes: accepts any `Uint8Array`, returns a plain `Uint8Array` with separate memory. */
export class GuardedBytesType extends BytesType {
  override _check(value: unknown, _flags?: number, hook?: CheckHook): boolean {
    return verdict(value instanceof Uint8Array, this, value, hook);
  }

  override _write(tap: WriteTap, value: unknown): void {
    if (!(value instanceof Uint8Array)) tap.refuse();
    tap.writeBytes(value);
  }

  override _copy(value: unknown, options?: CopyOptions): unknown {
    return copyBytes(value, options, this);
  }
}

/** A fixed: like bytes, of exactly its size. */
export class GuardedFixedType extends FixedType {
  override _check(value: unknown, _flags?: number, hook?: CheckHook): boolean {
    return verdict(value instanceof Uint8Array && value.length === this.size, this, value, hook);
  }

  override _write(tap: WriteTap, value: unknown): void {
    if (!(value instanceof Uint8Array) || value.length !== this.size) tap.refuse();
    tap.writeFixed(value);
  }

  override _copy(value: unknown, options?: CopyOptions): unknown {
    return copyBytes(value, options, this);
  }
}

/** An enum. avsc looks symbols up in a plain object, where `"toString"` is found too, so it builds the type with a letter before each. */
export class GuardedEnumType extends EnumType {
  constructor(schema: Readonly<Record<string, unknown>>, options: BuildOptions) {
    const { symbols, default: fallback } = schema as {
      readonly symbols: readonly string[];
      readonly default?: string;
    };
    const named = { symbols: symbols.map((symbol) => `s${symbol}`), default: fallback && `s${fallback}` };
    super({ ...schema, ...named }, options);
  }

  override _createBranchConstructor(): unknown {
    this.symbols = Object.freeze(this.symbols.map((symbol) => symbol.slice(1)));
    this.default = this.default?.slice(1);
    const indices = Object.create(null) as Record<string, number>;
    for (const [index, symbol] of this.symbols.entries()) indices[symbol] = index;
    this._indices = indices;
    return super._createBranchConstructor();
  }

  override _read(tap: ReadTap): unknown {
    const start = tap.pos;
    const symbol = this.symbols[tap.readInt()];
    if (symbol === undefined) throw tap.failure("value-out-of-range", "an enum index has no symbol", start);
    return symbol;
  }

  override _skip(tap: ReadTap): void {
    this._read(tap);
  }

  /**
   * Reads a writer's symbols; one that is missing here is read as the default, or a body with it is a `validationFailure`. avsc refuses the whole
   * schema. Source: Avro specification 1.12, "Schema Resolution".
   */
  override _update(resolver: AvscResolver, writer: AvscType, options: ResolveOptions): void {
    if (!(writer instanceof EnumType) || !isNamedLike(this, writer, options)) return;
    const { default: fallback, symbols } = this;
    const readable = writer.symbols.map((symbol) => (symbols.includes(symbol) ? symbol : fallback));
    resolver._read = (tap) => {
      const start = tap.pos;
      const index = tap.readInt();
      if (!(index in readable)) throw tap.failure("value-out-of-range", "an enum index has no symbol", start);
      const symbol = readable[index];
      if (symbol !== undefined) return symbol;
      throw validationFailure(
        `The Avro body has an enum symbol that the reader schema does not have (offset ${start}).`,
      );
    };
  }

  override _check(value: unknown, _flags?: number, hook?: CheckHook): boolean {
    return verdict(typeof value === "string" && typeof this._indices[value] === "number", this, value, hook);
  }

  override _write(tap: WriteTap, value: unknown): void {
    const index = typeof value === "string" ? this._indices[value] : undefined;
    if (typeof index !== "number") tap.refuse();
    tap.writeLong(index);
  }
}

/** Whether a writer's name, without its namespace, is the reader's or one of its aliases. */
function isNamedLike(reader: AvscType, { name }: AvscType, { ignoreNamespaces }: ResolveOptions): boolean {
  if (name === undefined) return true;
  const form = (each: string) => (ignoreNamespaces === true ? each.slice(each.lastIndexOf(".") + 1) : each);
  return [reader.name ?? "", ...(reader.aliases ?? [])].some((each) => form(each) === form(name));
}

/** Reports a value that does not fit its type to the hook, if there is one. */
export function verdict(fits: boolean, type: AvscType, value: unknown, hook: CheckHook | undefined): boolean {
  if (!fits) hook?.(value, type);
  return fits;
}

function isLong(value: unknown): value is bigint {
  return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
}

// Schemas contain defaults of bytes and fixed as strings of code points up to 255.
function copyBytes(value: unknown, options: CopyOptions | undefined, type: AvscType): Uint8Array {
  const copy =
    options?.coerce === 2 && typeof value === "string" && !/[^\0-\xff]/.test(value)
      ? Uint8Array.from(value, (character) => character.charCodeAt(0))
      : value;
  if (!type._check(copy)) throw new TypeError("the default does not fit its type");
  return new Uint8Array(copy as Uint8Array);
}
