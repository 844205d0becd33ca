import type { EncodedMessage } from "@waybill/core";
import type { MessageId } from "@waybill/core/transport";
import type { AnnotatedMessage, WireProperties } from "../sdk/service-bus-client.js";
import { type PropertyPlace, sentProperties } from "./sent-properties.js";
import { toAmqpProperties, toAmqpValue, toBuffer } from "./to-amqp-value.js";

const places = Object.entries(sentProperties) as readonly (readonly [
  keyof typeof sentProperties,
  PropertyPlace,
])[];

/** Converts a message to the SDK's sectioned form; `scheduledFor` overrides the message's own schedule. */
export function toServiceBusMessage(message: EncodedMessage, scheduledFor?: Date): AnnotatedMessage {
  const { body, applicationProperties } = message;
  const annotated: AnnotatedMessage =
    body instanceof Uint8Array
      ? { body: toBuffer(body), bodyType: "data" }
      : { body: toAmqpValue(body.value), bodyType: body.section };
  annotated.properties = {};
  annotated.messageAnnotations = {};
  for (const [name, { section, field, convert }] of places) {
    const value = message[name];
    if (value === undefined || field === undefined) continue;
    annotated[section] ??= {};
    (annotated[section] as WireProperties)[field] =
      convert === undefined ? value : convert(value as MessageId);
  }
  if (scheduledFor !== undefined)
    annotated.messageAnnotations[sentProperties.scheduledEnqueueTimeUtc.field] = scheduledFor;
  if (applicationProperties !== undefined)
    annotated.applicationProperties = toAmqpProperties(applicationProperties);
  return annotated;
}
