import fc from "fast-check";
import type { Family } from "../family.js";

export const seed = 20_261_106;

/** A value that every format writes. */
export interface Item {
  readonly id: string;
  readonly quantity: number;
  readonly price: number;
  readonly tags: readonly string[];
}

/** Writes each item in a format. */
export type Each = (write: (item: Item, index: number) => Uint8Array) => Family["bodies"];

export function sampleItems(): Item[] {
  const text = fc.oneof(fc.string({ maxLength: 24 }), fc.constantFrom("A-1042", "lamp", "", "Order 7"));
  const ascii = text.map((value) => value.replace(/[^ -~]|["'\\<>{}]/g, "-"));
  return fc.sample(
    fc.record(
      {
        id: ascii,
        quantity: fc.integer({ min: 0, max: 2_000_000 }),
        price: fc.double({ min: 0, max: 10_000, noNaN: true }),
        tags: fc.array(ascii, { maxLength: 40 }),
      },
      { noNullPrototype: true },
    ),
    { numRuns: 60, seed },
  );
}

/** The bodies that are not empty. */
export function bodies(all: readonly Uint8Array[]): Family["bodies"] {
  return all.filter(({ length }) => length > 0).map((bytes) => ({ bytes: Uint8Array.from(bytes) }));
}
