import { WaybillError } from "@waybill/core";
import { type BoundInput, listOf } from "../message/bound-message.js";
import { HostMessage } from "../message/host-message.js";
import { fromBoundMessage } from "./from-bound-message.js";
import { fromTriggerMetadata, type TriggerMetadata } from "./from-trigger-metadata.js";
import { hostBody } from "./host-body.js";
import { rememberLoss } from "./host-pipeline.js";

/** Without the SDK binding the host does not say when a lock expires; it is renewed as if it had this long left, in milliseconds. */
const assumedLockMs = 15_000;

/** The messages of the SDK binding. */
export function boundMessages({ messages }: BoundInput): HostMessage[] {
  return listOf(messages).map((message) => new HostMessage(fromBoundMessage(message), message));
}

/**
 * The messages of a trigger without the SDK binding; `isBatch` says whether it has `cardinality: "many"`. Throws `operation-invalid` if a
 * message has no lock token.
 */
export function triggerMessages(
  input: unknown,
  metadata: TriggerMetadata = {},
  { isBatch, entityPath }: { readonly isBatch: boolean; readonly entityPath: string },
): HostMessage[] {
  if (!isBatch) return [triggerMessage(input, metadata, undefined, entityPath)];
  const bodies = Array.isArray(input) ? input : [input];
  return bodies.map((body, index) => triggerMessage(body, metadata, index, entityPath));
}

function triggerMessage(
  value: unknown,
  metadata: TriggerMetadata,
  index: number | undefined,
  entityPath: string,
): HostMessage {
  // The host renews the lock of a single message, but not those of a batch.
  const lockedUntil = index === undefined ? undefined : new Date(Date.now() + assumedLockMs);
  const delivery = fromTriggerMetadata(new Uint8Array(), metadata, index, lockedUntil);
  if (delivery.lockToken === undefined) {
    const text =
      "The trigger metadata has no lock token. Register the function as serviceBusQueue or serviceBusTopic says.";
    throw new WaybillError("operation-invalid", text, { entityPath, messageId: delivery.messageId });
  }
  const body = hostBody(value, delivery.contentType);
  if ("bytes" in body) return new HostMessage({ ...delivery, body: body.bytes });
  const message = new HostMessage(delivery);
  rememberLoss(message.delivered, body.lost);
  return message;
}
