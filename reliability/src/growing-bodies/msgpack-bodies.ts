import { msgpack } from "@waybill/serializer-msgpack";
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

/** An array of as many items. Source: the MessagePack specification. */
const array = (count: number) => [0xdd, ...uint32(count)];
const map = (count: number) => [0xdf, ...uint32(count)];

export const msgpackBodies: GrowingBodies = {
  nils: items([0xc0]),
  doubles: items([0xcb, 0x3f, 1, 2, 3, 4, 5, 6, 7]),
  "integers of 64 bits": items([0xcf, 0x7f, 1, 2, 3, 4, 5, 6, 7]),
  strings: items([0xa3, ...Buffer.from("abc")]),
  "strings of two bytes a character": items([0xa3, ...Buffer.from("€")]),
  "strings that begin with U+FEFF": items([0xa4, 0xef, 0xbb, 0xbf, 0x61]),
  "byte strings": items([0xc4, 1, 2]),
  timestamps: items([0xd6, 0xff, 1, 2, 3, 4]),
  "timestamps with nanoseconds": items([0xd7, 0xff, 1, 2, 3, 4, 5, 6, 7, 8]),
  "empty maps": items([0x80]),
  "maps of one key": items([0x81, 0xa1, 0x61, 0]),
  "maps with keys of their own": plain(
    counted(array, (index) => [0x81, 0xa6, ...Buffer.from(label(index)), 0]),
  ),
  keys: plain(counted(map, (index) => [0xa6, ...Buffer.from(label(index)), 0])),
  "duplicate keys": plain(counted(map, [0xa1, 0x61, 0])),
  "the length of a string": plain((bytes) =>
    Buffer.concat([Buffer.from([0xdb, ...uint32(bytes)]), Buffer.alloc(bytes, "x")]),
  ),
  "text in maps in maps": plain(
    nested(
      (bytes) => Buffer.concat([Buffer.from([0xdb, ...uint32(bytes)]), Buffer.alloc(bytes, "x")]),
      () => [[0x81, 0xa1, 0x61], []],
    ),
  ),
  "arrays in arrays": plain(repeated([], [0x91], [])),
  "counts that are too large": plain(repeated([], [0xdc, 0xff, 0xff], [])),
};

function items(piece: Piece): GrowingBody {
  return plain(counted(array, piece));
}

function plain(make: GrowingBody["make"]): GrowingBody {
  return { contentType: "application/vnd.msgpack", serializer: () => msgpack(), make };
}
