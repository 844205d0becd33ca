import { nanosecondsPerMs } from "./check-message.js";

/**
 * A copy of a message whose timestamps have no fractions of a millisecond: they are dropped, towards the past, because the decoder rounds them, and
 * before 1970 drops them towards the future. `places` are those of the nanoseconds. Source: the MessagePack specification, "Timestamp extension type".
 */
export function withWholeMilliseconds(bytes: Uint8Array, places: readonly number[]): Uint8Array {
  const copy = new Uint8Array(bytes);
  const view = new DataView(copy.buffer);
  for (const place of places) {
    // Before the extension type is the length, unless the format implies 8. In 8 bytes, nanoseconds have 30 bits and seconds 34.
    const isShort = copy[place - 2] !== 12;
    const field = view.getUint32(place);
    const nanoseconds = isShort ? field >>> 2 : field;
    const whole = nanoseconds - (nanoseconds % nanosecondsPerMs);
    view.setUint32(place, isShort ? whole * 4 + (field & 3) : whole);
  }
  return copy;
}
