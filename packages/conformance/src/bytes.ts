/** Concatenates arrays. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Repeats a pattern. */
export function repeatBytes(pattern: readonly number[], times: number): Uint8Array {
  const bytes = new Uint8Array(pattern.length * times);
  for (let at = 0; at < bytes.length; at += pattern.length) bytes.set(pattern, at);
  return bytes;
}
