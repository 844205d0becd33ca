import type { Decoded, DeserializationOutcome } from "../deserialization/outcome.js";
import type { ReceivedMessage, UndecodedMessage } from "../message.js";
import type { DeliveredMessage } from "../transport.js";
import type { Delivery } from "./delivery.js";

/** What the application gets of a delivery whose body was read. */
export function receivedMessage(
  delivered: DeliveredMessage,
  outcome: Decoded,
  delivery: Delivery | undefined,
): ReceivedMessage {
  const message = {
    ...delivered,
    body: outcome.body,
    rawBody: delivered.body,
    deserialization: outcome.report,
    settlement: delivery,
  };
  if (delivery !== undefined) delivery.received = message;
  return message;
}

/** What the application gets of a delivery whose body was not read. */
export function undecodedMessage(
  delivered: DeliveredMessage,
  outcome: Exclude<DeserializationOutcome, Decoded>,
  delivery: Delivery | undefined,
): UndecodedMessage {
  const message = {
    ...delivered,
    body: undefined,
    rawBody: delivered.body,
    deserialization: outcome.report,
    settlement: delivery,
    failure: outcome,
  };
  if (delivery !== undefined) delivery.received = message;
  return message;
}
