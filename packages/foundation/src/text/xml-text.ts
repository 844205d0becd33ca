/**
 * A text or the value of an attribute, escaped for an XML document. Parsers read a carriage return as a line feed unless it is written as
 * a reference; other white space stays.
 */
export function xmlText(text: string): string {
  return text.replace(/[&<>"\r]/g, (char) => escapes[char] as string);
}

/** The text that was escaped for an XML document: the five named references, and those of code points. Others stay as they are. */
export function fromXmlText(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return named[String(name).toLowerCase()] ?? whole;
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
    },
  );
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#xD;",
};
