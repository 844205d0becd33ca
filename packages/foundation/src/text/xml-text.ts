/**
 * A text or the value of an attribute, escaped for an XML document. Parsers read a carriage return as a line feed unless it is written as
 * a reference; other white space stays.
 */
export function xmlText(text: string): string {
  return text.replace(/[&<>"\r]/g, (char) => escapes[char] as string);
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#xD;",
};
