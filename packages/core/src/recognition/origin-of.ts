import type { Origin } from "../message/origin.js";
import { byDotnetRoot, byFirstByte, byFraming, byHeader } from "./by-bytes.js";
import { byContentType, byProperties } from "./by-properties.js";
import { byText } from "./by-text.js";
import type { Traces } from "./readers.js";

/** Unambiguous properties first, then content types, then the bytes. */
const guesses: readonly ((traces: Traces) => Origin | undefined)[] = [
  byProperties,
  byContentType,
  byHeader,
  byDotnetRoot,
  byFraming,
  byText,
  byFirstByte,
];

/**
 * The probable origin of a body, by its message's properties and its first bytes. Undefined if it is empty or looks like nothing known. Of a
 * large body only the beginning is looked at. Never throws.
 */
export function originOf(traces: Traces): Origin | undefined {
  if (traces.body.length === 0) return undefined;
  for (const guess of guesses) {
    const origin = guess(traces);
    if (origin !== undefined) return origin;
  }
  return undefined;
}

/** An origin as sentences: `"It looks like MessagePack: add msgpack() (@waybill/serializer-msgpack)."` */
export function originText({ name, add, sender, package: from }: Origin): string {
  const reader = add === undefined ? "" : `: add ${add}${from === undefined ? "" : ` (${from})`}`;
  const advice = sender === undefined ? "" : ` Let the sender ${sender}.`;
  return `It looks like ${name}${reader}.${advice}`;
}
