/**
 * A `Buffer` with the methods that Node's own string conversion calls. Calling them directly saves a fifth of the time for short strings; they
 * are not typed but exist in every Node version (avsc relies on them too).
 */
export interface NativeBuffer extends Buffer {
  utf8Slice(start: number, end: number): string;
  utf8Write(text: string, offset: number): number;
}

/** The same memory as a `Buffer`, without a copy. */
export function toNativeBuffer(bytes: Uint8Array): NativeBuffer {
  const buffer =
    bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer as NativeBuffer;
}
