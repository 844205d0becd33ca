/** The two lower-case hexadecimal digits of each byte. */
export const byteDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

/** Bytes in lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byteDigits[byte];
  return text;
}
