import type { EntityDescription, MessageCounts } from "@waybill/broker";
import { splitEntityPath } from "@waybill/broker/front-end";
import { toEntityPath } from "../../refusals/address.js";
import { HttpRefusal } from "../http-refusal.js";
import type { XmlElement, XmlNode } from "../xml.js";
import { fromDurationText, toDurationText } from "./duration.js";
import { type Field, queueFields, subscriptionFields, topicFields } from "./entity-fields.js";

/** The XML namespace of all descriptions. */
export const descriptionNamespace = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
/** The XML namespace of the message counts; SDKs use the prefix that is declared for it. */
const countsNamespace = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

/** The element names and fields of each kind of entity. */
export const entityKinds = Object.freeze({
  queue: { element: "QueueDescription", fields: queueFields },
  topic: { element: "TopicDescription", fields: topicFields },
  subscription: { element: "SubscriptionDescription", fields: subscriptionFields },
});

/** Describes an entity like the service, with properties and counts together. `host` is used in addresses of forwarding targets. */
export function toEntityXml(entity: EntityDescription, host: string): XmlNode {
  const { element, fields } = entityKinds[entity.kind];
  const options = entity.options as unknown as Readonly<Record<string, unknown>>;
  const properties = fields.flatMap((field) => toProperty(field, options[field.option], host));
  return {
    name: element,
    attributes: { xmlns: descriptionNamespace, "xmlns:i": "http://www.w3.org/2001/XMLSchema-instance" },
    content: [...properties, ...runtimeProperties(entity)],
  };
}

function toProperty({ element, kind }: Field, value: unknown, host: string): XmlNode[] {
  if (value === undefined) return [];
  if (kind === "duration") return [{ name: element, content: toDurationText(value as number) }];
  if (kind === "entity") return [{ name: element, content: `sb://${host}/${String(value)}` }];
  return [{ name: element, content: String(value) }];
}

function runtimeProperties(entity: EntityDescription): XmlNode[] {
  const text = (name: string, value: string | number): XmlNode => ({ name, content: String(value) });
  return [
    ...(entity.kind === "subscription"
      ? []
      : [text("AuthorizationRules", ""), text("IsAnonymousAccessible", "false")]),
    ...(entity.kind === "subscription" ? [] : [text("SizeInBytes", entity.sizeInBytes)]),
    ...(entity.kind === "topic" ? [] : [text("MessageCount", entity.totalMessageCount)]),
    text("CreatedAt", toTime(entity.createdAt)),
    text("UpdatedAt", toTime(entity.updatedAt)),
    text("AccessedAt", toTime(entity.accessedAt)),
    toCounts(entity),
    ...(entity.kind === "topic" ? [text("SubscriptionCount", entity.subscriptionCount)] : []),
    text("EntityAvailabilityStatus", "Available"),
  ];
}

function toCounts(counts: MessageCounts): XmlNode {
  const count = (name: string, value: number): XmlNode => ({ name: `d2p1:${name}`, content: String(value) });
  return {
    name: "CountDetails",
    attributes: { "xmlns:d2p1": countsNamespace },
    content: [
      count("ActiveMessageCount", counts.activeMessageCount),
      count("DeadLetterMessageCount", counts.deadLetterMessageCount),
      count("ScheduledMessageCount", counts.scheduledMessageCount),
      count("TransferMessageCount", counts.transferMessageCount),
      count("TransferDeadLetterMessageCount", counts.transferDeadLetterMessageCount),
    ],
  };
}

/** The service writes seven fractional digits. */
export function toTime(date: Date): string {
  return date.toISOString().replace("Z", "0000Z");
}

/**
 * The broker's options in a description. Unknown elements, and those that only the service writes, are ignored. Throws for an invalid
 * value.
 */
export function fromEntityXml(description: XmlElement, fields: readonly Field[]): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const { element, option, kind } of fields) {
    const found = description.child(element);
    if (found !== undefined) options[option] = toOption(found.text.trim(), element, kind);
  }
  return options;
}

function toOption(text: string, element: string, kind: Field["kind"]): unknown {
  switch (kind) {
    case "boolean":
      if (text !== "true" && text !== "false")
        throw new HttpRefusal(400, `${element} must be true or false.`);
      return text === "true";
    case "duration":
      return fromDurationText(text, element);
    case "integer":
      if (!/^\d{1,15}$/.test(text)) throw new HttpRefusal(400, `${element} must be an integer.`);
      return Number(text);
    case "entity":
      return text === "" ? undefined : forwardPath(text, element);
    case "text":
      return text;
  }
}

/** SDKs send the forwarding target as a whole URL. */
function forwardPath(text: string, element: string): string {
  const path = toEntityPath(text);
  if (path === undefined || path === "")
    throw new HttpRefusal(400, `${element} must be the name or address of an entity.`);
  return splitEntityPath(path).entity;
}
