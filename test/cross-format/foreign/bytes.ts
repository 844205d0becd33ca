import { createHash } from "node:crypto";

export function concat(...parts: readonly (string | readonly number[] | Uint8Array)[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Uint8Array.from(part))),
  );
}

export function prefixed(length: (size: number) => readonly number[], bytes: Uint8Array): Uint8Array {
  return concat(length(bytes.length), bytes);
}

export function block(length: (size: number) => readonly number[], text: string): Uint8Array {
  return prefixed(length, Buffer.from(text));
}

export function tlv(tag: number, value: Uint8Array): Uint8Array {
  const length = value.length < 0x80 ? [value.length] : [0x81, value.length & 0xff];
  return concat([tag], length, value);
}

export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

export function uint16(value: number): number[] {
  return [(value >> 8) & 0xff, value & 0xff];
}

export function uint32(value: number): number[] {
  return [...uint16(value >>> 16), ...uint16(value & 0xffff)];
}

export function uint32le(value: number): number[] {
  return uint32(value).reverse();
}

export function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
