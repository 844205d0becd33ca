/** The type of an element's value. */
export type FieldKind = "boolean" | "duration" | "entity" | "integer" | "text";

/** An element of a description with the corresponding option of the broker. */
export interface Field {
  readonly element: string;
  readonly option: string;
  readonly kind: FieldKind;
}

const field = (element: string, kind: FieldKind): Field => ({
  element,
  option: optionName(element, kind),
  kind,
});

const lockDuration = field("LockDuration", "duration");
const maxSize = field("MaxSizeInMegabytes", "integer");
const duplicateDetection = field("RequiresDuplicateDetection", "boolean");
const requiresSession = field("RequiresSession", "boolean");
const timeToLive = field("DefaultMessageTimeToLive", "duration");
const deadLetterExpired = field("DeadLetteringOnMessageExpiration", "boolean");
const duplicateWindow = field("DuplicateDetectionHistoryTimeWindow", "duration");
const maxDeliveryCount = field("MaxDeliveryCount", "integer");
const batched = field("EnableBatchedOperations", "boolean");
const status = field("Status", "text");
const forwardTo = field("ForwardTo", "entity");
const userMetadata = field("UserMetadata", "text");
const autoDelete = field("AutoDeleteOnIdle", "duration");
const partitioning = field("EnablePartitioning", "boolean");
const forwardDeadLetters = field("ForwardDeadLetteredMessagesTo", "entity");
const express = field("EnableExpress", "boolean");
const maxMessageSize = field("MaxMessageSizeInKilobytes", "integer");

/** The elements of a description in the order of the service's data contract, which SDKs of all languages expect. */
export const queueFields: readonly Field[] = Object.freeze([
  lockDuration,
  maxSize,
  duplicateDetection,
  requiresSession,
  timeToLive,
  deadLetterExpired,
  duplicateWindow,
  maxDeliveryCount,
  batched,
  status,
  forwardTo,
  userMetadata,
  autoDelete,
  partitioning,
  forwardDeadLetters,
  express,
  maxMessageSize,
]);

/** See {@link queueFields}. */
export const topicFields: readonly Field[] = Object.freeze([
  timeToLive,
  maxSize,
  duplicateDetection,
  duplicateWindow,
  batched,
  status,
  userMetadata,
  field("SupportOrdering", "boolean"),
  autoDelete,
  partitioning,
  express,
  maxMessageSize,
]);

/** See {@link queueFields}. */
export const subscriptionFields: readonly Field[] = Object.freeze([
  lockDuration,
  requiresSession,
  timeToLive,
  deadLetterExpired,
  field("DeadLetteringOnFilterEvaluationExceptions", "boolean"),
  maxDeliveryCount,
  batched,
  status,
  forwardTo,
  userMetadata,
  forwardDeadLetters,
  autoDelete,
]);

/** The broker's options have the same names; those of durations end in `Ms`. */
function optionName(element: string, kind: FieldKind): string {
  const name = `${element.charAt(0).toLowerCase()}${element.slice(1)}`;
  return kind === "duration" ? `${name}Ms` : name;
}
