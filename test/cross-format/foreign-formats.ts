import type { Family } from "./family.js";
import { bodies, type Item, sampleItems } from "./foreign/item.js";
import { files, rawData } from "./foreign/raw-data.js";
import { schemaFormats } from "./foreign/schema-formats.js";
import { selfDescribingFormats } from "./foreign/self-describing-formats.js";
import { damagedJson, textFormats } from "./foreign/text-formats.js";

/**
 * Bodies in formats that the chain does not have, written by hand from their specifications, and bodies without any
 * format: measurements, digests, frames of field buses.
 */
export function foreignFormats(): Family[] {
  const items = sampleItems();
  const each = (write: (item: Item, index: number) => Uint8Array) => bodies(items.map(write));
  return [
    ...schemaFormats(each),
    ...selfDescribingFormats(each),
    ...files(each),
    ...rawData(),
    ...textFormats(each),
    ...damagedJson(items),
  ];
}
