import type { DescMessage } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { type DecodeReason, type DeserializeContext, decodeFailure } from "@waybill/core/serializer";
import { type Field, type Fields, fieldsOf, type Packing } from "./wire-fields.js";

/** The limits of the scan. */
export interface WireLimits extends Pick<DeserializeContext, "maxDepth" | "maxItems"> {
  readonly unknownFields: "keep" | "refuse";
}

/** A message that is being scanned: where it ends, and its fields; undefined within an unknown group. */
interface Open {
  readonly end: number;
  readonly fields: Fields | undefined;
  /** The field number of a group, which ends with a tag instead of at a length. */
  readonly group: number | undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Refuses bytes that are not a well-formed message of the type, before the library builds anything: truncation, wire types that a field
 * does not have, ill-formed UTF-8, nesting and items beyond the limits. Does not recurse. Source: protobuf.dev, Encoding.
 */
export function checkWire(bytes: Uint8Array, descriptor: DescMessage, limits: WireLimits): void {
  new Scan(bytes, limits).run(descriptor);
}

const proto = new TextEncoder().encode("__proto__");

function isProto(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from === proto.length && proto.every((byte, index) => bytes[from + index] === byte);
}

class Scan {
  readonly #bytes: Uint8Array;
  readonly #limits: WireLimits;
  #position = 0;
  #itemsLeft: number;

  constructor(bytes: Uint8Array, limits: WireLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#itemsLeft = limits.maxItems ?? Number.POSITIVE_INFINITY;
  }

  run(descriptor: DescMessage): void {
    const open: Open[] = [];
    let current: Open | undefined = {
      end: this.#bytes.length,
      fields: fieldsOf(descriptor),
      group: undefined,
    };
    while (current !== undefined) {
      if (this.#position >= current.end) {
        if (current.group !== undefined || this.#position > current.end)
          this.#fail("truncated", "a message ends inside a field");
        current = open.pop();
        continue;
      }
      const next = this.#field(current);
      if (next === "closed") current = open.pop();
      else if (next !== undefined) {
        open.push(current);
        if (open.length >= this.#limits.maxDepth)
          this.#fail("depth-exceeded", `nesting beyond ${this.#limits.maxDepth}`);
        current = next;
      }
    }
  }

  /** Skips one field, or returns the message to scan, or reports the end of the group. */
  #field(current: Open): Open | "closed" | undefined {
    const start = this.#position;
    const tag = this.#varint(current.end);
    const number = Math.floor(tag / 8);
    const wireType = tag % 8;
    if (number === 0 || tag > 0xffff_ffff) this.#fail("malformed", "an invalid field number", start);
    if (wireType === WireType.EndGroup) {
      if (current.group !== number) this.#fail("malformed", "the end of a group that was not started", start);
      return "closed";
    }
    const field = current.fields?.byNumber.get(number);
    if (field === undefined && current.fields !== undefined && this.#limits.unknownFields === "refuse") {
      this.#fail(
        "type-forbidden",
        `the field ${number}, which ${current.fields.typeName} does not have`,
        start,
      );
    }
    if (field !== undefined && !field.wireTypes.includes(wireType)) {
      this.#fail("malformed", `the field ${number} with the wrong wire type ${wireType}`, start);
    }
    // A map's entry and its two fields are one item.
    if (current.fields?.isEntry !== true) this.#count(1, start);
    switch (wireType) {
      case WireType.Varint:
        this.#varint(current.end);
        return undefined;
      case WireType.Bit64:
        this.#skip(8, current.end);
        return undefined;
      case WireType.Bit32:
        this.#skip(4, current.end);
        return undefined;
      case WireType.StartGroup:
        return { end: current.end, fields: field?.nested?.(), group: number };
      case WireType.LengthDelimited:
        return this.#lengthDelimited(field, current.end, start);
      default:
        return this.#fail("malformed", "an invalid wire type", start);
    }
  }

  #lengthDelimited(field: Field | undefined, end: number, start: number): Open | undefined {
    const length = this.#varint(end);
    const from = this.#position;
    if (length > end - from) this.#fail("truncated", "a field exceeds its message", start);
    if (field?.nested !== undefined) return { end: from + length, fields: field.nested(), group: undefined };
    this.#position = from + length;
    if (field?.isText === true) this.#checkUtf8(from, this.#position);
    if (field?.isKey === true && isProto(this.#bytes, from, this.#position))
      this.#fail("key-forbidden", 'the key "__proto__"', start);
    // A byte string costs as much as four items.
    if (field?.isBytes === true) this.#count(3, start);
    if (field?.packed !== undefined) this.#count(this.#packedItems(field.packed, from, start) - 1, start);
    return undefined;
  }

  /** How many scalars a field packs. A scalar that exceeds the field is refused: the library would read beyond the field. */
  #packedItems(width: Packing, from: number, start: number): number {
    if (width !== "varint") {
      const items = (this.#position - from) / width;
      return Number.isInteger(items) ? items : this.#fail("truncated", "truncated packed numbers", start);
    }
    if (this.#position > from && (this.#bytes[this.#position - 1] as number) >= 0x80)
      this.#fail("truncated", "truncated packed numbers", start);
    let items = 0;
    let length = 0;
    for (let index = from; index < this.#position; index++) {
      length++;
      if (length > 10) this.#fail("malformed", "a number of more than ten bytes", index);
      if ((this.#bytes[index] as number) >= 0x80) continue;
      items++;
      length = 0;
    }
    return items;
  }

  #varint(end: number): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#position >= end) this.#fail("truncated", "the body ends inside a number");
      const byte = this.#bytes[this.#position++] as number;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return this.#fail("malformed", "a number of more than ten bytes");
  }

  #skip(length: number, end: number): void {
    if (length > end - this.#position) this.#fail("truncated", "a number exceeds its message");
    this.#position += length;
  }

  #checkUtf8(from: number, to: number): void {
    for (let index = from; index < to; index++) {
      if ((this.#bytes[index] as number) < 0x80) continue;
      try {
        utf8.decode(this.#bytes.subarray(from, to));
        return;
      } catch {
        this.#fail("utf8-invalid", "a string is not valid UTF-8", from);
      }
    }
  }

  #count(items: number, offset: number): void {
    this.#itemsLeft -= items;
    if (this.#itemsLeft < 0) this.#fail("items-exceeded", `more than ${this.#limits.maxItems} items`, offset);
  }

  #fail(reason: DecodeReason, what: string, offset = this.#position): never {
    throw decodeFailure(reason, `not a Protobuf message of its type at offset ${offset}: ${what}.`);
  }
}
