/** Control characters, and those that turn the direction of writing: a message must not play with the terminal of who looks at it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text that is safe to print: what is not is written as `\u001b`. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
