/** The values of one part of a schema: the smallest first, then those that differ from it in one respect each. */
export type Variations = readonly unknown[];

/** Maximum number of values of one part, so that their number does not grow with the product of all parts. */
const maxVariations = 256;

/** All members at their smallest, then each with its other values while the rest stays the smallest, then the last ones together. */
export function ofMembers(members: Readonly<Record<string, Variations>>): Variations {
  const entries = Object.entries(members);
  const smallest = Object.fromEntries(entries.map(([name, [first]]) => [name, first]));
  const varied: unknown[] = [smallest];
  for (const [name, values] of entries) {
    for (const value of values.slice(1)) {
      if (varied.length >= maxVariations) return varied;
      varied.push({ ...smallest, [name]: value });
    }
  }
  const largest = entries.map(([name, values]) => [name, values.at(-1)] as const);
  if (largest.length > 1) varied.push(Object.fromEntries(largest));
  return varied;
}

/** Lists of these items: empty, one of each, and two. */
export function ofItems(items: Variations): Variations {
  return [
    [],
    ...items.slice(0, maxVariations).map((item) => [item]),
    ...(items.length > 1 ? [[items[0], items[1]]] : []),
  ];
}

/** Maps of these values: empty, one of each, and two. */
export function ofEntries(values: Variations): Variations {
  return [
    {},
    ...values.slice(0, maxVariations).map((value) => ({ key: value })),
    ...(values.length > 1 ? [{ key: values[0], other: values[1] }] : []),
  ];
}

/** Whole numbers of so many bits, or without a sign: 0, 1, the limits, and what a double still holds. */
export function integers(bits: number, isSigned: boolean): readonly bigint[] {
  const high = 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n;
  const low = isSigned ? -high - 1n : 0n;
  const wanted = new Set([0n, 1n, -1n, 1000n, high, low, 2n ** 40n, 2n ** 53n + 1n]);
  return [...wanted].filter((each) => low <= each && each <= high);
}

/** Texts: empty, ASCII, beyond it, beyond the basic plane, and one that looks like a number. */
export const texts: readonly string[] = ["", "a", "ä€", "😀", "42"];

/** Bytes: none, ASCII, and what is no UTF-8. */
export const byteStrings: readonly Uint8Array[] = [
  new Uint8Array(0),
  Uint8Array.of(0x61),
  Uint8Array.of(0xff, 0xfe, 0x80),
];

/** Numbers of double precision. */
export const doubles: readonly number[] = [0, 1.5, -1, 1e300, 0.1];

/** Numbers of single precision. */
export const floats: readonly number[] = [0, 1.5, -1, 16777216];
