import { escaped } from "@waybill/foundation";

/** Control characters and bidirectional control characters: a message must not manipulate the user's terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text that is safe to print: unsafe characters are written as `\u001b`. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}
