import type { Family } from "../family.js";
import { block, concat, prefixed, tlv, uint32, uint32le, varint } from "./bytes.js";
import type { Each, Item } from "./item.js";

/** Formats whose bytes have values and tags, but no names. */
export function schemaFormats(each: Each): Family[] {
  return [
    { format: "Protocol Buffers of many types", bodies: each((item) => protobuf(item, 1)) },
    {
      format: "Protocol Buffers with field numbers from 16",
      bodies: each((item, n) => protobuf(item, 16 + n)),
    },
    {
      format: "Protocol Buffers after a length",
      bodies: each((item) => prefixed(varint, protobuf(item, 1))),
    },
    {
      format: "gRPC frames",
      bodies: each((item) => concat([0, ...uint32(protobuf(item, 1).length)], protobuf(item, 1))),
    },
    {
      format: "Thrift binary",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x80, 1, 0, 1],
          block(uint32, "order"),
          uint32(quantity),
          [11, 0, 1],
          block(uint32, id),
          [8, 0, 2],
          uint32(quantity),
          [0],
        ),
      ),
    },
    {
      format: "Thrift compact",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x82, 0x21, 1],
          block(varint, "order"),
          [0x18],
          block(varint, id),
          [0x15],
          varint(quantity),
          [0],
        ),
      ),
    },
    {
      format: "FlatBuffers",
      bodies: each(({ id, quantity }) =>
        concat(
          [16, 0, 0, 0, 0, 0, 10, 0, 12, 0, 8, 0, 4, 0, 10, 0],
          uint32le(8),
          uint32le(quantity),
          uint32le(id.length),
          id,
          [0],
        ),
      ),
    },
    {
      format: "Cap'n Proto",
      bodies: each(({ id, quantity }) =>
        concat(
          uint32le(0),
          uint32le(4),
          [0, 0, 0, 0, 1, 0, 1, 0],
          uint32le(quantity),
          [0, 0, 0, 0, 5, 0, 0, 0],
          uint32le(8 * id.length + 10),
          id,
          [0],
        ),
      ),
    },
    {
      format: "XDR",
      bodies: each(({ id, quantity }) =>
        concat(uint32(quantity), block(uint32, id), new Uint8Array((4 - (id.length % 4)) % 4)),
      ),
    },
    {
      format: "ASN.1 DER",
      bodies: each(({ id, quantity }) =>
        tlv(
          0x30,
          concat(tlv(0x0c, Buffer.from(id.slice(0, 100))), tlv(0x02, Uint8Array.from(uint32(quantity)))),
        ),
      ),
    },
    {
      format: "ASN.1 BER with context tags",
      bodies: each(({ id, quantity }, n) =>
        concat(
          tlv(0x81 + (n % 15), Buffer.from(id.slice(0, 100))),
          tlv(0xa1, Uint8Array.from(uint32(quantity))),
        ),
      ),
    },
    {
      format: "HL7 MLLP frames",
      bodies: each(({ id }) => concat([0x0b], `MSH|^~\\&|A|B|||20261105||ADT^A01|${id}|P|2.5`, [0x1c, 0x0d])),
    },
  ];
}

/** A message with a string, a varint, a double, a boolean and repeated strings, with fields numbered from `first`. */
function protobuf({ id, quantity, price, tags }: Item, first: number): Uint8Array {
  const double = Buffer.alloc(8);
  double.writeDoubleLE(price);
  const key = (field: number, wireType: number) => varint((field << 3) | wireType);
  return concat(
    key(first, 2),
    block(varint, id),
    key(first + 1, 0),
    varint(quantity),
    key(first + 2, 1),
    double,
    key(first + 3, 0),
    [1],
    ...tags.slice(0, 3).map((tag) => concat(key(first + 4, 2), block(varint, tag))),
  );
}
