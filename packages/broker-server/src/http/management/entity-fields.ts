import type { EntityDescription } from "@waybill/broker";

/** The type of an element's value. */
export type FieldKind = "boolean" | "duration" | "entity" | "integer" | "rules" | "text";

/** An element of a description with the corresponding option of the broker. */
export interface Field {
  readonly element: string;
  readonly option: string;
  readonly kind: FieldKind;
  /** The first version of the management API that has the element; default all. */
  readonly since?: string;
  /** Whether an update without the element removes the value, as in the service; other values stay. */
  readonly isRemovedByOmission?: true;
}

/** An element that only the service writes, by its place in {@link entityFigures}. */
export interface Figure {
  readonly element: string;
  readonly figure: keyof typeof entityFigures;
  /** The first version of the management API that has the element; default all. */
  readonly since?: string;
  /** Whether only answers to requests that read have it, not those that create or update. */
  readonly isOnlyRead?: true;
}

/** The values of elements that only the service writes. */
export const entityFigures = Object.freeze({
  size: ({ sizeInBytes }: EntityDescription) => String(sizeInBytes),
  messages: ({ totalMessageCount }: EntityDescription) => String(totalMessageCount),
  subscriptions: (entity: EntityDescription) =>
    String(entity.kind === "topic" ? entity.subscriptionCount : 0),
  created: ({ createdAt }: EntityDescription) => toTime(createdAt),
  updated: ({ updatedAt }: EntityDescription) => toTime(updatedAt),
  accessed: ({ accessedAt }: EntityDescription) => toTime(accessedAt),
  ordering: (entity: EntityDescription) =>
    String(entity.kind === "queue" && !entity.options.enablePartitioning),
  available: () => "Available",
  no: () => "false",
  counts: (entity: EntityDescription) => entity,
});

/** The service writes seven fractional digits. */
export function toTime(date: Date): string {
  return date.toISOString().replace("Z", "0000Z");
}

const field = (element: string, kind: FieldKind, more: Partial<Field> = {}): Field => ({
  element,
  option: optionName(element, kind),
  kind,
  ...more,
});
const figure = (element: string, name: Figure["figure"], more: Partial<Figure> = {}): Figure => ({
  element,
  figure: name,
  ...more,
});
const onlyRead = { isOnlyRead: true } as const;
const removed = { isRemovedByOmission: true } as const;

const lockDuration = field("LockDuration", "duration");
const maxSize = field("MaxSizeInMegabytes", "integer");
const duplicateDetection = field("RequiresDuplicateDetection", "boolean");
const requiresSession = field("RequiresSession", "boolean");
const timeToLive = field("DefaultMessageTimeToLive", "duration");
const deadLetterExpired = field("DeadLetteringOnMessageExpiration", "boolean");
const duplicateWindow = field("DuplicateDetectionHistoryTimeWindow", "duration");
const maxDeliveryCount = field("MaxDeliveryCount", "integer");
const batched = field("EnableBatchedOperations", "boolean");
const authorizationRules = field("AuthorizationRules", "rules");
const status = field("Status", "text");
const forwardTo = field("ForwardTo", "entity", removed);
const userMetadata = field("UserMetadata", "text", removed);
const autoDelete = field("AutoDeleteOnIdle", "duration");
const partitioning = field("EnablePartitioning", "boolean");
const forwardDeadLetters = field("ForwardDeadLetteredMessagesTo", "entity", removed);
const express = field("EnableExpress", "boolean");
const maxMessageSize = field("MaxMessageSizeInKilobytes", "integer", { since: "2021-05" });
const size = figure("SizeInBytes", "size");
const messages = figure("MessageCount", "messages");
const anonymous = figure("IsAnonymousAccessible", "no");
const times = [figure("CreatedAt", "created"), figure("UpdatedAt", "updated")] as const;
const accessed = figure("AccessedAt", "accessed", onlyRead);
const counts = figure("CountDetails", "counts", onlyRead);
const available = figure("EntityAvailabilityStatus", "available");

type Elements = readonly (Field | Figure)[];

/** The elements of a description in the order of the service's data contract, which SDKs of all languages expect. */
export const queueElements: Elements = Object.freeze([
  lockDuration,
  maxSize,
  duplicateDetection,
  requiresSession,
  timeToLive,
  deadLetterExpired,
  duplicateWindow,
  maxDeliveryCount,
  batched,
  size,
  messages,
  anonymous,
  authorizationRules,
  status,
  forwardTo,
  userMetadata,
  ...times,
  accessed,
  figure("SupportOrdering", "ordering"),
  counts,
  autoDelete,
  partitioning,
  forwardDeadLetters,
  available,
  express,
  maxMessageSize,
]);

/** See {@link queueElements}. */
export const topicElements: Elements = Object.freeze([
  timeToLive,
  maxSize,
  duplicateDetection,
  duplicateWindow,
  batched,
  size,
  figure("FilteringMessagesBeforePublishing", "no"),
  anonymous,
  authorizationRules,
  status,
  userMetadata,
  ...times,
  accessed,
  field("SupportOrdering", "boolean"),
  counts,
  figure("SubscriptionCount", "subscriptions", onlyRead),
  autoDelete,
  partitioning,
  available,
  figure("EnableSubscriptionPartitioning", "no"),
  express,
  maxMessageSize,
]);

/** See {@link queueElements}. */
export const subscriptionElements: Elements = Object.freeze([
  lockDuration,
  requiresSession,
  timeToLive,
  deadLetterExpired,
  field("DeadLetteringOnFilterEvaluationExceptions", "boolean"),
  messages,
  maxDeliveryCount,
  batched,
  status,
  forwardTo,
  userMetadata,
  ...times,
  figure("AccessedAt", "accessed"),
  counts,
  forwardDeadLetters,
  autoDelete,
  available,
  figure("IsClientAffine", "no", { since: "2021-05" }),
]);

/** Whether an element is a property that clients can set. */
export function isField(element: Field | Figure): element is Field {
  return "option" in element;
}

/** The broker's options have the same names; those of durations end in `Ms`. */
function optionName(element: string, kind: FieldKind): string {
  const name = `${element.charAt(0).toLowerCase()}${element.slice(1)}`;
  return kind === "duration" ? `${name}Ms` : name;
}
