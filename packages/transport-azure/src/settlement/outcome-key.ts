import type { TransportDeadLetterOptions } from "@waybill/core/transport";

/** The settlement methods, by their name on the transport. */
export type SettlementVerb = "complete" | "abandon" | "defer" | "deadLetter";

/**
 * A key that differs for two settlements whose outcomes or options differ. It has every option that is given, by whatever name: settlements
 * with equal keys are sent together, and one with another option would be lost among them.
 */
export function outcomeKey(verb: SettlementVerb, options: TransportDeadLetterOptions | undefined): string {
  if (options === undefined) return verb;
  const { abortSignal: _, ...ofOutcome } = options;
  const given = keyOf(ofOutcome);
  return given === undefined ? verb : verb + JSON.stringify(given);
}

/** The names and values of an object; undefined if there are none. */
function keyOf(values: object): unknown {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const key = valueKey(value);
    return key === undefined ? [] : [[name, key]];
  });
  return entries.length === 0 ? undefined : entries;
}

function valueKey(value: unknown): unknown {
  if (value === undefined) return undefined;
  if (value instanceof Date) return ["date", value.getTime()];
  if (value instanceof Uint8Array) return ["bytes", Buffer.from(value).toString("base64")];
  if (typeof value === "object" && value !== null) return keyOf(value);
  return [typeof value, Object.is(value, -0) ? "-0" : String(value)];
}
