import { cbor } from "@waybill/serializer-cbor";
import { decode } from "cborg";
import {
  counted,
  type GrowingBodies,
  type GrowingBody,
  label,
  nested,
  type Piece,
  repeated,
  uint32,
} from "./growing-body.js";

/** An array of as many items. Source: RFC 8949. */
const array = (count: number) => [0x9a, ...uint32(count)];
const map = (count: number) => [0xba, ...uint32(count)];
const key = (index: number) => [0x66, ...Buffer.from(label(index))];

export const cborBodies: GrowingBodies = {
  nulls: items([0xf6]),
  undefined: items([0xf7]),
  "members that are undefined": items([0xa1, 0x61, 0x61, 0xf7]),
  doubles: items([0xfb, 0x3f, 1, 2, 3, 4, 5, 6, 7]),
  strings: items([0x63, ...Buffer.from("abc")]),
  "strings that begin with U+FEFF": items([0x64, 0xef, 0xbb, 0xbf, 0x61]),
  "strings in chunks": items([0x7f, 0x61, 0x61, 0xff]),
  "chunks of a string": plain(repeated([0x7f], [0x61, 0x61], [0xff])),
  "chunks of bytes": plain(repeated([0x5f], [0x41, 1], [0xff])),
  "byte strings": { ...items([0x41, 1]), bare: (bytes) => decode(bytes) },
  "byte arrays": items([0xd8, 64, 0x41, 1]),
  decimals: items([0xc4, 0x82, 0x21, 0x19, 1, 2]),
  "decimals of 128 bytes": items([0xc4, 0x82, 0x21, 0xc2, 0x58, 128, ...Buffer.alloc(128, 0xab)]),
  "integers of 16 bytes": items([0xc2, 0x50, ...Buffer.alloc(16, 0xab)]),
  "integers of 1,024 bytes": items([0xc2, 0x59, 4, 0, ...Buffer.alloc(1024, 0xab)]),
  "dates as text": items([0xc0, 0x74, ...Buffer.from("2026-11-05T12:34:56Z")]),
  "dates as numbers": items([0xc1, 0xfb, 0x41, 0xda, 0xc1, 9, 0x49, 0xce, 0x14, 0x7b]),
  "dates as days": items([0xd8, 100, 0x19, 0x50, 0x67]),
  UUIDs: items([0xd8, 37, 0x50, ...Buffer.alloc(16, 7)]),
  sets: items([0xd9, 1, 2, 0x81, 1]),
  keys: plain(counted(map, (index) => [...key(index), 0])),
  "maps with keys of their own": {
    ...plain(counted(array, (index) => [0xa1, ...key(index), 0])),
    bare: (bytes) => decode(bytes),
  },
  "records with keys of their own": plain(
    counted(array, (index) => [0xd9, 0xdf, 0xff, 0x83, 0x19, 0xe0, 0, 0x81, ...key(index), 0]),
  ),
  "records of one kind": plain(
    counted(
      (count) => [...array(count + 1), 0xd9, 0xdf, 0xff, 0x83, 0x19, 0xe0, 0, 0x81, ...key(0), 0],
      () => [0xd9, 0xe0, 0, 0x81, 1],
    ),
  ),
  "keys of a record": plain((bytes) => {
    const count = Math.max(1, Math.floor(bytes / 8));
    const keys = Array.from({ length: count }, (_, index) => Buffer.from(key(index)));
    return Buffer.concat([
      Buffer.from([0xd9, 0xdf, 0xff, ...array(count + 2), 0x19, 0xe0, 0, ...array(count)]),
      ...keys,
      Buffer.alloc(count),
    ]);
  }),
  "text in maps in maps": plain(
    nested(
      (bytes) => Buffer.concat([Buffer.from([0x7a, ...uint32(bytes)]), Buffer.alloc(bytes, "x")]),
      () => [[0xa1, 0x61, 0x61], []],
    ),
  ),
  "text in tags in tags": plain(
    nested(
      (bytes) => Buffer.concat([Buffer.from([0x7a, ...uint32(bytes)]), Buffer.alloc(bytes, "x")]),
      () => [[0xd9, 0xd9, 0xf7], []],
    ),
  ),
  "tags in tags": plain(repeated([], [0xd8, 40], [0])),
  "unknown tags": items([0xd9, 0x12, 0x34, 1]),
  "maps without a length": items([0xbf, 0x61, 0x61, 1, 0xff]),
  "arrays without a length": items([0x9f, 0x01, 0xff]),
  "arrays in arrays": plain(repeated([], [0x81], [])),
  "counts that are too large": plain(repeated([], [0x99, 0xff, 0xff], [])),
};

function items(piece: Piece): GrowingBody {
  return plain(counted(array, piece));
}

function plain(make: GrowingBody["make"]): GrowingBody {
  return { contentType: "application/cbor", serializer: () => cbor(), make };
}
