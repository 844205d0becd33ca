import { isObject } from "@waybill/foundation";
import type { Origin } from "../message/origin.js";
import { envelopeReader, origin } from "./readers.js";

/**
 * The envelope that a decoded body is, although no label says so: a handler would receive it with the body inside. Undefined for other values.
 * Only its own members are looked at, so it is as quick for large values.
 */
export function enclosingEnvelope(value: unknown): Origin | undefined {
  if (!isObject(value)) return undefined;
  const of = (name: string): unknown =>
    value instanceof Map
      ? value.get(name)
      : Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined;
  if (typeof of("specversion") === "string" && isText(of("source")) && isText(of("type"))) {
    return of("pubsubname") === undefined
      ? origin("a CloudEvent whose content type was lost", {
          ...envelopeReader("dapr()"),
          sender: "set the content type application/cloudevents+json",
        })
      : origin("a CloudEvent of Dapr", envelopeReader("dapr()"));
  }
  if (areMassTransitTypes(of("messageType")) && of("message") !== undefined) {
    return origin("an envelope of MassTransit whose content type was lost", {
      ...envelopeReader("massTransit()"),
      sender: "set the content type application/vnd.masstransit+json",
    });
  }
  return of("Body") === undefined ? undefined : byHeaders(of("Headers"));
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Types are URNs. Source: MassTransit, interoperability. */
function areMassTransitTypes(types: unknown): boolean {
  return Array.isArray(types) && typeof types[0] === "string" && types[0].startsWith("urn:message:");
}

/** The bus whose headers an envelope with a body has. Source: NServiceBus, `Headers`; Rebus, `TransportMessage` and `Headers`. */
function byHeaders(headers: unknown): Origin | undefined {
  if (!isObject(headers)) return undefined;
  const has = (name: string) => (headers instanceof Map ? headers.has(name) : Object.hasOwn(headers, name));
  const bus = has("NServiceBus.EnclosedMessageTypes")
    ? "NServiceBus"
    : has("rbs2-msg-type") || has("rbs2-msg-id")
      ? "Rebus"
      : undefined;
  if (bus === undefined) return undefined;
  return origin(`an envelope that ${bus} wrote for another transport`, {
    sender: `send through ${bus}'s transport for Azure Service Bus`,
  });
}
