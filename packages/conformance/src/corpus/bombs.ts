import { concatBytes, repeatBytes } from "../bytes.js";
import type { ForeignBody } from "./foreign-bodies.js";

/** A body that attacks unsafe readers of any format. */
export type Bomb = Omit<ForeignBody, "format">;

const nestingDepth = 100_000;

/** 100,000 opening brackets of each format with containers, never closed, and closed ones for formats that need closing bytes. */
export const nestingBombs: readonly Bomb[] = Object.freeze([
  { name: "JSON arrays, open", bytes: repeatBytes([0x5b], nestingDepth) },
  {
    name: "JSON arrays, closed",
    bytes: concatBytes(repeatBytes([0x5b], nestingDepth), repeatBytes([0x5d], nestingDepth)),
  },
  {
    name: "JSON objects, open",
    bytes: repeatBytes([...Buffer.from('{"a":')], nestingDepth),
  },
  { name: "MessagePack arrays", bytes: concatBytes(repeatBytes([0x91], nestingDepth), Uint8Array.of(0xc0)) },
  {
    name: "MessagePack maps",
    bytes: concatBytes(repeatBytes([0x81, 0xa1, 0x61], nestingDepth), Uint8Array.of(0xc0)),
  },
  { name: "CBOR arrays", bytes: concatBytes(repeatBytes([0x81], nestingDepth), Uint8Array.of(0xf6)) },
  { name: "CBOR tags", bytes: concatBytes(repeatBytes([0xc6], nestingDepth), Uint8Array.of(0xf6)) },
  { name: "CBOR arrays of unknown length", bytes: repeatBytes([0x9f], nestingDepth) },
  { name: "Avro blocks of one item", bytes: repeatBytes([0x02], nestingDepth) },
  { name: "XML elements", bytes: repeatBytes([0x3c, 0x61, 0x3e], nestingDepth) },
  { name: ".NET binary elements", bytes: repeatBytes([0x40, 0x01, 0x61], nestingDepth) },
]);

/** A few bytes that declare millions of items. */
export const countBombs: readonly Bomb[] = Object.freeze([
  { name: "MessagePack array of 2^32-1 items", bytes: Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff) },
  { name: "MessagePack map of 2^32-1 entries", bytes: Uint8Array.of(0xdf, 0xff, 0xff, 0xff, 0xff) },
  { name: "MessagePack string of 4 GiB", bytes: Uint8Array.of(0xdb, 0xff, 0xff, 0xff, 0xff, 0x61) },
  { name: "MessagePack binary of 4 GiB", bytes: Uint8Array.of(0xc6, 0xff, 0xff, 0xff, 0xff, 0x61) },
  { name: "MessagePack extension of 4 GiB", bytes: Uint8Array.of(0xc9, 0xff, 0xff, 0xff, 0xff, 0xff) },
  {
    name: "MessagePack arrays of arrays of 2^32-1 items",
    bytes: repeatBytes([0xdd, 0xff, 0xff, 0xff, 0xff], 64),
  },
  { name: "CBOR array of 2^53 items", bytes: Uint8Array.of(0x9b, 0, 0x20, 0, 0, 0, 0, 0, 0) },
  { name: "CBOR array of 2^32-1 items", bytes: Uint8Array.of(0x9a, 0xff, 0xff, 0xff, 0xff) },
  { name: "CBOR map of 2^32-1 entries", bytes: Uint8Array.of(0xba, 0xff, 0xff, 0xff, 0xff) },
  { name: "CBOR bytes of 2 GiB", bytes: Uint8Array.of(0x5a, 0x7f, 0xff, 0xff, 0xff, 0x61) },
  { name: "CBOR text of 2 GiB", bytes: Uint8Array.of(0x7a, 0x7f, 0xff, 0xff, 0xff, 0x61) },
  { name: "Avro block of 10^8 items", bytes: Uint8Array.of(0x80, 0x84, 0xaf, 0x5f, 0x00) },
  {
    name: "Avro block of 2^50 items",
    bytes: Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x04, 0x00),
  },
  {
    name: "Avro string of 2^50 bytes",
    bytes: Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x04, 0x61),
  },
  { name: "endless variable-length integer", bytes: repeatBytes([0xff], 1000) },
]);

/** Bodies with a key that replaces prototypes in unsafe readers; the key's value has `isPolluted: true`. */
export const pollutionBombs: readonly Bomb[] = Object.freeze([
  { name: "JSON, __proto__", bytes: new TextEncoder().encode('{"__proto__":{"isPolluted":true}}') },
  {
    name: "JSON, __proto__ escaped and nested",
    bytes: new TextEncoder().encode('{"a":[{"\\u005f_proto__":{"isPolluted":true}}]}'),
  },
  {
    name: "JSON, constructor.prototype",
    bytes: new TextEncoder().encode('{"constructor":{"prototype":{"isPolluted":true}}}'),
  },
  { name: "MessagePack, __proto__", bytes: polluting(0x81, 0xa9, 0x81, 0xaa, 0xc3) },
  { name: "CBOR, __proto__", bytes: polluting(0xa1, 0x69, 0xa1, 0x6a, 0xf5) },
  { name: "Avro map, __proto__", bytes: polluting(0x02, 0x12, 0x02, 0x14, 0x01, 0x00, 0x00) },
]);

/** `{"__proto__": {"isPolluted": true}}` with the bytes of one format around the two keys. */
function polluting(
  outer: number,
  key: number,
  inner: number,
  innerKey: number,
  ...end: number[]
): Uint8Array {
  const encoder = new TextEncoder();
  return concatBytes(
    Uint8Array.of(outer, key),
    encoder.encode("__proto__"),
    Uint8Array.of(inner, innerKey),
    encoder.encode("isPolluted"),
    Uint8Array.from(end),
  );
}
