import type { TransportDeadLetterOptions } from "@waybill/core/transport";

/** The settlement methods, by their name on the transport. */
export type SettlementVerb = "complete" | "abandon" | "defer" | "deadLetter";

/** A key that is equal for two settlements exactly if their outcome and all options are equal. */
export function outcomeKey(verb: SettlementVerb, options: TransportDeadLetterOptions | undefined): string {
  if (options === undefined) return verb;
  const { deadLetterReason, deadLetterErrorDescription, propertiesToModify = {} } = options;
  const properties = Object.entries(propertiesToModify).map(([name, value]) => [name, ...valueKey(value)]);
  if (deadLetterReason === undefined && deadLetterErrorDescription === undefined && properties.length === 0)
    return verb;
  return verb + JSON.stringify([deadLetterReason, deadLetterErrorDescription, properties]);
}

function valueKey(value: unknown): [kind: string, text: string] {
  if (value instanceof Date) return ["date", String(value.getTime())];
  if (value instanceof Uint8Array) return ["bytes", Buffer.from(value).toString("base64")];
  return [typeof value, Object.is(value, -0) ? "-0" : String(value)];
}
