/** The flag of a compressed message, of which nothing more can be checked. */
const compressed = 0x01;

/**
 * Whether bytes are length-prefixed messages of gRPC: each a flag, four bytes with the length of what follows, and a message in Protobuf's wire
 * format. Source: gRPC over HTTP/2, Length-Prefixed-Message. A registry's framing begins with the same five bytes, and a short payload of
 * anything is a value of some schema; that an id equals the number of bytes behind it, and these are well-formed Protobuf, is rare.
 */
export function isGrpc(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  while (at < bytes.length) {
    const flag = bytes[at] as number;
    if (flag > compressed || at + 5 > bytes.length) return false;
    const start = at + 5;
    at = start + view.getUint32(start - 4);
    if (at > bytes.length) return false;
    if (flag !== compressed && !isProtobuf(bytes.subarray(start, at))) return false;
  }
  return bytes.length > 0;
}

/** Whether bytes are fields in Protobuf's wire format, without looking into nested messages. Source: Protobuf, Encoding. */
function isProtobuf(bytes: Uint8Array): boolean {
  const cursor = { bytes, at: 0 };
  const groups: number[] = [];
  while (cursor.at < bytes.length) {
    const tag = varint(cursor) ?? 0;
    const [field, wireType] = [Math.floor(tag / 8), tag % 8];
    if (field === 0) return false;
    if (wireType === 3) groups.push(field);
    else if (wireType === 4 ? groups.pop() !== field : !skipValue(cursor, wireType)) return false;
  }
  return groups.length === 0;
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function skipValue(cursor: Cursor, wireType: number): boolean {
  if (wireType === 0) return varint(cursor) !== undefined;
  const length = wireType === 2 ? varint(cursor) : fixedLengths.get(wireType);
  if (length === undefined) return false;
  cursor.at += length;
  return cursor.at <= cursor.bytes.length;
}

/** Numbers of 64 and 32 bits. */
const fixedLengths: ReadonlyMap<number, number> = new Map([
  [1, 8],
  [5, 4],
]);

/** A number of at most ten bytes, its upper bits cut off; undefined if it does not end. */
function varint(cursor: Cursor): number | undefined {
  let value = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) return undefined;
    if (shift < 35) value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
  return undefined;
}
