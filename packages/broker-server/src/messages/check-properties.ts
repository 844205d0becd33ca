import { AmqpMap, type AmqpValue, isTyped, type MessageSections } from "@waybill/amqp";
import { type ApplicationProperties, BrokerError } from "@waybill/broker";
import { propertyLimits } from "@waybill/broker/front-end";
import { fromAmqpProperties, keyText } from "./application-properties.js";

/**
 * Checks the application properties of a message without decoding them. Throws `BrokerError`: `argument-error` for a list, map or array,
 * which AMQP does not allow there (3.2.5), and `message-size-exceeded` above the broker's maximum size.
 */
export function checkProperties(sent: MessageSections): void {
  const fault = sent.findPropertyFault(propertyLimits);
  switch (fault?.kind) {
    case undefined:
      return;
    case "compound":
      throw unsupported(fault.name, fault.type);
    case "too-large":
      throw tooLarge(
        `application property ${quote(fault.name)} has ${fault.bytes} bytes`,
        propertyLimits.propertyBytes,
      );
    case "too-large-together":
      throw tooLarge(`application properties have ${fault.bytes} bytes`, propertyLimits.totalBytes);
  }
}

/** The properties changed by a settlement, if any, checked like {@link checkProperties}. */
export function readChangedProperties(map: AmqpMap | undefined): ApplicationProperties | undefined {
  if (map === undefined || map.size === 0) return undefined;
  for (const [key, value] of map.entries) {
    const type = compoundTypeOf(value);
    if (type !== undefined) throw unsupported(keyText(key) ?? "", type);
  }
  return fromAmqpProperties(map);
}

function compoundTypeOf(value: AmqpValue): string | undefined {
  if (Array.isArray(value)) return "list";
  if (value instanceof AmqpMap) return "map";
  if (!isTyped(value)) return undefined;
  if (value.type === "described") return compoundTypeOf(value.value);
  return value.type === "array" ? "array" : undefined;
}

function unsupported(name: string, type: string): BrokerError {
  return new BrokerError(
    "argument-error",
    `Serialization operation failed due to unsupported type: application property ${quote(name)} is of type ${type}.`,
  );
}

function tooLarge(what: string, limit: number): BrokerError {
  return new BrokerError("message-size-exceeded", `The message's ${what}, at most ${limit} are taken.`);
}

function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
