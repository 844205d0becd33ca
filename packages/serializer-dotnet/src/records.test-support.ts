/** Records of .NET binary XML, for bodies that no .NET program writes. Source: [MC-NBFX]. */
type Record = readonly number[];

/** A length, which must be below 16,384, and the text. */
function name(text: string): Record {
  const bytes = [...new TextEncoder().encode(text)];
  const { length } = bytes;
  return [...(length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7]), ...bytes];
}

/** The start of an element; with a prefix, if there is one. */
export function start(local: string, prefix?: string): Record {
  return prefix === undefined ? [0x40, ...name(local)] : [0x41, ...name(prefix), ...name(local)];
}

/** A declaration of a prefix. */
export function xmlns(prefix: string, namespace: string): Record {
  return [0x09, ...name(prefix), ...name(namespace)];
}

/** A declaration of the namespace without a prefix. */
export function defaultXmlns(namespace: string): Record {
  return [0x08, ...name(namespace)];
}

export const end: Record = [0x01];

/** An element of one short text, with the record that also ends it. */
export function leaf(local: string, text: string, prefix?: string): Record {
  return [...start(local, prefix), 0x99, ...name(text)];
}
