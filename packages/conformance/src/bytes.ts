/** Concatenates arrays. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Repeats a pattern. */
export function repeatBytes(pattern: readonly number[], times: number): Uint8Array {
  return new Uint8Array(pattern.length * times).map((_, at) => pattern[at % pattern.length] ?? 0);
}
