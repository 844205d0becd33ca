/** Reads `length` bytes from `start` as text, or returns undefined when one of them is not ASCII. */
type AsciiReader = (bytes: Uint8Array, start: number) => string | undefined;

/** Maximum length of texts that are read faster without native code. */
const longest = 24;

/**
 * One reader per length from 0 to 24, which an instant has in ISO 8601. Most strings in messages are that short, and a call of
 * `String.fromCharCode` with as many arguments as there are bytes takes from a third to half of the time of the native UTF-8 decoder and its
 * check.
 */
export const shortAsciiReaders: readonly AsciiReader[] = Array.from({ length: longest + 1 }, (_, length) =>
  compileReader(length),
);

function compileReader(length: number): AsciiReader {
  if (length === 0) return () => "";
  const bytes = Array.from({ length }, (_, index) => `b${index}`);
  const body = `return (bytes, start) => {
    const ${bytes.map((name, index) => `${name} = bytes[start + ${index}]`).join(", ")};
    return (${bytes.join(" | ")}) > 127 ? undefined : fromCharCode(${bytes.join(", ")});
  }`;
  return new Function("fromCharCode", body)(String.fromCharCode) as AsciiReader;
}
