import type { ReadTap } from "../wire/read-tap.js";
import { isWellFormed, type WriteTap } from "../wire/write-tap.js";
import { ArrayType, type CheckHook, MapType } from "./internals.js";
import { verdict } from "./primitive-types.js";
import { isPlainObject } from "./value-kind.js";

/**
 * An array whose block counts are checked against the body. With avsc's array type, five bytes that claim 100,000,000 items crash the process.
 * `_read` also runs on resolvers, whose `itemsType` reads the writer's items as the reader's.
 */
export class GuardedArrayType extends ArrayType {
  override _read(tap: ReadTap): unknown {
    if (++tap.depth > tap.maxDepth) tap.failDepth();
    const items = this.itemsType;
    let values: unknown[] | undefined;
    let index = 0;
    for (let count = tap.readCount(); count !== 0; count = tap.readCount()) {
      const end = count < 0 ? tap.readBlockEnd() : -1;
      let left = count < 0 ? -count : count;
      // Allocating the full size at once is faster, and the count was already checked against the body.
      values ??= new Array<unknown>(left);
      while (left-- > 0) values[index++] = items._read(tap);
      if (end >= 0) tap.endBlock(end);
    }
    tap.depth--;
    return values ?? [];
  }

  override _skip(tap: ReadTap): void {
    if (++tap.depth > tap.maxDepth) tap.failDepth();
    for (let count = tap.readCount(); count !== 0; count = tap.readCount()) {
      const end = count < 0 ? tap.readBlockEnd() : -1;
      if (end >= 0 && !tap.isCounting) tap.pos = end;
      else for (let left = Math.abs(count); left > 0; left--) this.itemsType._skip(tap);
      if (end >= 0) tap.endBlock(end);
    }
    tap.depth--;
  }

  override _write(tap: WriteTap, value: unknown): void {
    if (!Array.isArray(value)) tap.refuse();
    if (++tap.depth > tap.maxDepth) tap.failDepth();
    const items = this.itemsType;
    const count = value.length;
    if (count > 0) {
      tap.items += count;
      tap.writeLong(count);
      for (let index = 0; index < count; index++) items._write(tap, value[index]);
    }
    tap.writeLong(0);
    tap.depth--;
  }
}

/** A map with the same checks, whose keys cannot replace the prototype of the object that is read. */
export class GuardedMapType extends MapType {
  override _read(tap: ReadTap): unknown {
    if (++tap.depth > tap.maxDepth) tap.failDepth();
    const values = this.valuesType;
    const map: Record<string, unknown> = {};
    for (let count = tap.readCount(); count !== 0; count = tap.readCount()) {
      const end = count < 0 ? tap.readBlockEnd() : -1;
      for (let left = count < 0 ? -count : count; left > 0; left--) {
        const start = tap.pos;
        const key = tap.readString();
        if (key === "__proto__") throw tap.failure("key-forbidden", 'a map key is "__proto__"', start);
        map[key] = values._read(tap);
      }
      if (end >= 0) tap.endBlock(end);
    }
    tap.depth--;
    return map;
  }

  override _skip(tap: ReadTap): void {
    if (++tap.depth > tap.maxDepth) tap.failDepth();
    for (let count = tap.readCount(); count !== 0; count = tap.readCount()) {
      const end = count < 0 ? tap.readBlockEnd() : -1;
      if (end >= 0 && !tap.isCounting) tap.pos = end;
      else
        for (let left = Math.abs(count); left > 0; left--) {
          tap.skipString();
          this.valuesType._skip(tap);
        }
      if (end >= 0) tap.endBlock(end);
    }
    tap.depth--;
  }

  // Keys are payload, so the reported path has a star instead.
  override _check(value: unknown, flags?: number, hook?: CheckHook, path?: string[]): boolean {
    if (!isPlainObject(value)) return verdict(false, this, value, hook);
    const keys = Object.keys(value);
    path?.push("*");
    const fits = keys.every(
      (key) =>
        verdict(key !== "__proto__" && isWellFormed(key), this, value, hook) &&
        this.valuesType._check(value[key], flags, hook, path),
    );
    path?.pop();
    return fits;
  }

  override _write(tap: WriteTap, value: unknown): void {
    if (!isPlainObject(value)) tap.refuse();
    if (++tap.depth > tap.maxDepth) tap.failDepth();
    const values = this.valuesType;
    const keys = Object.keys(value);
    if (keys.length > 0) {
      tap.items += keys.length;
      tap.writeLong(keys.length);
      for (const key of keys) {
        if (key === "__proto__") tap.refuse();
        tap.writeString(key);
        values._write(tap, value[key]);
      }
    }
    tap.writeLong(0);
    tap.depth--;
  }
}
