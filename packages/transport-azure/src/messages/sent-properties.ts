import type { MessageId, WritableProperties } from "@waybill/core/transport";
import { toAmqpId } from "./to-amqp-value.js";

/** Where the SDK's message and AMQP have a property. */
export interface PropertyPlace {
  readonly section: "header" | "properties" | "messageAnnotations" | "applicationProperties";
  /** Its name in the section of the SDK's message; undefined for the application properties, which are a section. */
  readonly field: string | undefined;
  /** Its position in the properties section of AMQP (1.0, 3.2.4); undefined in other sections. */
  readonly position: number | undefined;
  /** Converts a value for the SDK; undefined where the SDK takes it unchanged. */
  readonly convert?: ((value: MessageId) => unknown) | undefined;
}

/** Every property that a sender may set. All that writes or measures messages uses this table. */
export const sentProperties = Object.freeze({
  messageId: inProperties("messageId", 0, toAmqpId),
  to: inProperties("to", 2),
  subject: inProperties("subject", 3),
  replyTo: inProperties("replyTo", 4),
  correlationId: inProperties("correlationId", 5, toAmqpId),
  contentType: inProperties("contentType", 6),
  contentEncoding: inProperties("contentEncoding", 7),
  sessionId: inProperties("groupId", 10),
  replyToSessionId: inProperties("replyToGroupId", 12),
  partitionKey: inSection("messageAnnotations", "x-opt-partition-key"),
  viaPartitionKey: inSection("messageAnnotations", "x-opt-via-partition-key"),
  scheduledEnqueueTimeUtc: inSection("messageAnnotations", "x-opt-scheduled-enqueue-time"),
  timeToLive: inSection("header", "timeToLive"),
  forcePersistence: inSection("header", "durable"),
  applicationProperties: inSection("applicationProperties", undefined),
} satisfies Record<keyof WritableProperties, PropertyPlace>);

/** The names of the properties in the properties section. */
export type PropertiesName = {
  [Name in keyof typeof sentProperties]: (typeof sentProperties)[Name] extends { readonly position: number }
    ? Name
    : never;
}[keyof typeof sentProperties];

/** The thirteen fields of the properties section in order, by the name of the property that they have. */
export const propertiesFields: readonly (PropertiesName | undefined)[] = Object.freeze(
  Array.from({ length: 13 }, (_, position) => {
    const found = Object.entries(sentProperties).find(([, place]) => place.position === position);
    return found?.[0] as PropertiesName | undefined;
  }),
);

function inProperties(field: string, position: number, convert?: PropertyPlace["convert"]) {
  return Object.freeze({ section: "properties", field, position, convert } as const);
}

function inSection<Section extends PropertyPlace["section"], Field extends string | undefined>(
  section: Section,
  field: Field,
) {
  return Object.freeze({ section, field, position: undefined } as const);
}
