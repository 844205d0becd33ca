/** The position of a string in a message: its header, its text, and the text's length in bytes. */
export interface StringPlace {
  readonly start: number;
  readonly textStart: number;
  readonly size: number;
}

/** The bytes of U+FEFF, which is a character like any other in MessagePack. */
export function beginsWithByteOrderMark(bytes: Uint8Array, start: number, size: number): boolean {
  return size > 2 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
}

/**
 * Decodes a message with strings that begin with U+FEFF. Without its native add-on, the decoder passes longer strings to a `TextDecoder` that drops
 * the character as a byte order mark. So a prefix is inserted before it, and removed after decoding.
 */
export function decodeGuarded(
  bytes: Uint8Array,
  strings: readonly StringPlace[],
  decode: (bytes: Uint8Array) => unknown,
): unknown {
  // Random, so that no string of the sender begins with it.
  const guard = globalThis.crypto.randomUUID();
  return withoutGuard(decode(withGuard(bytes, strings, new TextEncoder().encode(guard))), guard);
}

/** The size of the longest header, that of a string whose size takes 32 bits. */
const headerSize = 5;

function withGuard(bytes: Uint8Array, strings: readonly StringPlace[], guard: Uint8Array): Uint8Array {
  const guarded = new Uint8Array(bytes.length + strings.length * (headerSize + guard.length));
  const view = new DataView(guarded.buffer);
  let read = 0;
  let written = 0;
  const copy = (part: Uint8Array) => {
    guarded.set(part, written);
    written += part.length;
  };
  for (const { start, textStart, size } of strings) {
    copy(bytes.subarray(read, start));
    view.setUint8(written, 0xdb);
    view.setUint32(written + 1, size + guard.length);
    written += headerSize;
    copy(guard);
    read = textStart;
  }
  copy(bytes.subarray(read));
  return guarded.subarray(0, written);
}

function withoutGuard(value: unknown, guard: string): unknown {
  if (typeof value === "string") return value.startsWith(guard) ? value.slice(guard.length) : value;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => withoutGuard(item, guard));
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [withoutGuard(key, guard) as string, withoutGuard(item, guard)]),
  );
}
