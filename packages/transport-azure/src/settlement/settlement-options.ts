import type { TransportDeadLetterOptions } from "@waybill/core/transport";
import { toAmqpProperties } from "../messages/to-amqp-value.js";
import type { WireProperties } from "../sdk/service-bus-client.js";

/** How the SDK takes each option: as an option of its own, as the properties beside its own options, or not at all. */
const forms = {
  abortSignal: "ours",
  propertiesToModify: "properties",
  deadLetterReason: "own",
  deadLetterErrorDescription: "own",
} as const satisfies Record<keyof TransportDeadLetterOptions, "ours" | "properties" | "own">;
const ownNames = (Object.keys(forms) as (keyof typeof forms)[]).filter((name) => forms[name] === "own");

/** The options of a settlement for the SDK, which takes the properties to modify and its own options as one object; undefined if none is given. */
export function toSettlementOptions(
  options: TransportDeadLetterOptions | undefined,
): WireProperties | undefined {
  if (options === undefined) return undefined;
  const given = ownNames.filter((name) => options[name] !== undefined);
  const properties = options.propertiesToModify && toAmqpProperties(options.propertiesToModify);
  if (given.length === 0) return properties;
  return { ...properties, ...Object.fromEntries(given.map((name) => [name, options[name]])) };
}
