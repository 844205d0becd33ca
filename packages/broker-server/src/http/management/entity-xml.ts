import type { AuthorizationRule, EntityDescription, MessageCounts } from "@waybill/broker";
import { splitEntityPath } from "@waybill/broker/front-end";
import { parseIsoDuration, toIsoDuration } from "@waybill/foundation";
import { toEntityPath } from "../../refusals/address.js";
import { HttpRefusal } from "../http-refusal.js";
import type { XmlElement } from "../parse-xml.js";
import type { XmlNode } from "../xml.js";
import { fromAuthorizationRulesXml, toAuthorizationRulesXml } from "./authorization-rules.js";
import {
  entityFigures,
  type Field,
  type Figure,
  isField,
  queueElements,
  subscriptionElements,
  topicElements,
} from "./entity-fields.js";

/** The XML namespace of all descriptions. */
export const descriptionNamespace = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
/** The XML namespace of the message counts; SDKs use the prefix that is declared for it. */
const countsNamespace = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

/** The element names and members of each kind of entity. */
export const entityKinds = Object.freeze({
  queue: { element: "QueueDescription", members: queueElements },
  topic: { element: "TopicDescription", members: topicElements },
  subscription: { element: "SubscriptionDescription", members: subscriptionElements },
});

/** How a description is read and written. */
export interface DescriptionForm {
  /** The host in addresses of forwarding targets. */
  readonly host: string;
  /** The version of the management API that the client asked for. */
  readonly version: string;
  /** Whether it answers a request that created or updated the entity. */
  readonly isWritten: boolean;
}

/** Describes an entity like the service, with properties and counts together. */
export function toEntityXml(entity: EntityDescription, form: DescriptionForm): XmlNode {
  const { element, members } = entityKinds[entity.kind];
  const content = members.flatMap((member) =>
    isField(member) ? toProperty(member, entity, form) : toFigure(member, entity, form),
  );
  const attributes = { xmlns: descriptionNamespace, "xmlns:i": "http://www.w3.org/2001/XMLSchema-instance" };
  return { name: element, attributes, content };
}

function toProperty(
  { element, option, kind, since = "" }: Field,
  entity: EntityDescription,
  { host, version }: DescriptionForm,
): XmlNode[] {
  const value = (entity.options as unknown as Readonly<Record<string, unknown>>)[option];
  if (value === undefined || version < since) return [];
  switch (kind) {
    case "duration":
      return [{ name: element, content: toIsoDuration(value as number) }];
    case "entity":
      return [{ name: element, content: `sb://${host}/${String(value)}` }];
    case "rules":
      return [
        { name: element, content: toAuthorizationRulesXml(value as readonly AuthorizationRule[], entity) },
      ];
    default:
      return [{ name: element, content: String(value) }];
  }
}

function toFigure(
  { element, figure, since = "", isOnlyRead }: Figure,
  entity: EntityDescription,
  { version, isWritten }: DescriptionForm,
): XmlNode[] {
  if (version < since || (isWritten && isOnlyRead)) return [];
  const value = entityFigures[figure](entity);
  return [typeof value === "string" ? { name: element, content: value } : toCounts(value)];
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

/**
 * The broker's options in a description. Unknown elements, and those that only the service writes, are ignored. In an update, properties that
 * may be absent are removed if their element is. Throws for an invalid value.
 */
export function fromEntityXml(
  description: XmlElement,
  kind: EntityDescription["kind"],
  { version, isUpdate }: { readonly version: string; readonly isUpdate: boolean },
): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const { element, option, kind: type, since = "", isRemovedByOmission } of entityKinds[
    kind
  ].members.filter(isField)) {
    const found = version < since ? undefined : description.child(element);
    if (found !== undefined) options[option] = toOption(found, element, type);
    else if (isUpdate && isRemovedByOmission) options[option] = undefined;
  }
  return options;
}

function toOption(found: XmlElement, element: string, kind: Field["kind"]): unknown {
  const text = found.text.trim();
  switch (kind) {
    case "rules":
      return fromAuthorizationRulesXml(found);
    case "boolean":
      if (text !== "true" && text !== "false")
        throw new HttpRefusal(400, `${element} must be true or false.`);
      return text === "true";
    case "duration":
      return durationOf(text, element);
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

function durationOf(text: string, name: string): number {
  const ms = parseIsoDuration(text);
  if (ms !== undefined) return ms;
  throw new HttpRefusal(400, `${name} must be an ISO 8601 duration such as PT1M.`);
}
