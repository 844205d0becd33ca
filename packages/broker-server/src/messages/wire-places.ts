import type { SendableProperties } from "@waybill/broker/front-end";

/** Where a property is in an AMQP message, and by which name. */
interface WirePlace {
  readonly section: "header" | "properties" | "annotations";
  readonly field: string;
}

/** Every property that a sender may set. What writes messages uses this table. */
export const wirePlaces = Object.freeze({
  messageId: { section: "properties", field: "messageId" },
  correlationId: { section: "properties", field: "correlationId" },
  contentType: { section: "properties", field: "contentType" },
  contentEncoding: { section: "properties", field: "contentEncoding" },
  subject: { section: "properties", field: "subject" },
  to: { section: "properties", field: "to" },
  replyTo: { section: "properties", field: "replyTo" },
  sessionId: { section: "properties", field: "groupId" },
  replyToSessionId: { section: "properties", field: "replyToGroupId" },
  scheduledEnqueueTime: { section: "annotations", field: "x-opt-scheduled-enqueue-time" },
  partitionKey: { section: "annotations", field: "x-opt-partition-key" },
  viaPartitionKey: { section: "annotations", field: "x-opt-via-partition-key" },
  timeToLiveMs: { section: "header", field: "ttl" },
  forcePersistence: { section: "header", field: "durable" },
} as const satisfies Record<keyof SendableProperties, WirePlace>);

/** The names of the properties in a section, each with its field. */
export const propertiesFields = fieldsIn("properties");
export const annotationFields = fieldsIn("annotations");

type NameIn<Section extends WirePlace["section"]> = {
  [Name in keyof typeof wirePlaces]: (typeof wirePlaces)[Name]["section"] extends Section ? Name : never;
}[keyof typeof wirePlaces];

function fieldsIn<Section extends WirePlace["section"]>(section: Section) {
  return Object.entries(wirePlaces).flatMap(([name, place]) =>
    place.section === section ? [[name as NameIn<Section>, place.field] as const] : [],
  );
}
