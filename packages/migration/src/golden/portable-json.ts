import type { PortableValue } from "./portable-value.js";

/** Strings, to skip them, and integers that a JavaScript number may round: more than 15 digits. */
const tokenPattern = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?\d{16,}(?![\d.eE])/g;

/**
 * Parses JSON typed by a person, for `fromPortableValue`; an integer that a number would round becomes `{ "$bigint": … }`. Throws
 * `SyntaxError`.
 */
export function parsePortableJson(text: string): PortableValue {
  const exact = text.replace(tokenPattern, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token;
    return `{"$bigint":"${token}"}`;
  });
  return JSON.parse(exact) as PortableValue;
}
