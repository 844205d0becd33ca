import { afterwards, isPromise } from "@waybill/foundation";
import type { Awaitable } from "../../contracts/serializer.js";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { PeekedMessage, ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import type { DeserializationOutcome, Unavailable, Undeserializable } from "../../message/outcome.js";
import type { DeserializationReport } from "../../message/report.js";
import type {
  UndeserializableDisposition,
  UndeserializableEvent,
} from "../../message/undeserializable-event.js";
import { readBody, readInTurn } from "../reading/read-body.js";
import { mayHaveCrashedProcess, rememberRead } from "../reading/redelivery.js";
import type { Delivery } from "./delivery.js";
import { receivedMessage, undecodedMessage } from "./received-message.js";
import type { ReceiverContext } from "./receiver-context.js";
import { deadLetterUndecoded, quarantineUndecoded, undeserializableEvent } from "./settle-undecoded.js";

/** A message for another reader that was delivered this often is held instead: a default `maxDeliveryCount` is 10. */
const maxDeliveriesBeforeHolding = 4;

/** What to do with an undeserializable message; `"hold"` and `"block"` leave it locked. */
export type UnreadAction = "deadLetter" | "hold" | "block";

/** What has happened to a message that was left locked. */
const dispositionOf = { hold: "held", block: "blocked" } as const satisfies Record<
  Exclude<UnreadAction, "deadLetter">,
  UndeserializableDisposition
>;

/** Decides what to do with an undeserializable message. */
export type DecideUnread = (
  delivered: DeliveredMessage,
  report: DeserializationReport,
) => Awaitable<UnreadAction>;

/** What a delivery became: a message for the application, or the event that says what happened to it instead. */
export type ReadResult = ReceivedMessage | UndecodedMessage | UndeserializableEvent;

/** Whether a delivery ended in an event instead of a message. */
export function isUnread(result: ReadResult): result is UndeserializableEvent {
  return "disposition" in result;
}

/**
 * Reads one delivery. Never throws or rejects. After `held` or `blocked` the message is still locked; after `abandoned` the caller has to
 * abandon it. Returns a promise only if a serializer is asynchronous, `decide` is, or the message has to be settled.
 */
export function readDelivery(
  context: ReceiverContext,
  delivered: DeliveredMessage,
  delivery: Delivery | undefined,
  decide: DecideUnread,
): Awaitable<ReadResult> {
  const { pipeline, observer, scheduler, entityPath, breaker } = context;
  // In a dead-letter queue the delivery count is that of the original queue.
  const isSuspect = !context.isSubQueue && mayHaveCrashedProcess(delivered, entityPath);
  // A circuit that opens while the body is read is not closed by it.
  const openings = breaker?.openings ?? 0;
  const options = { limits: isSuspect ? "tightened" : "normal", isTimed: observer?.isOn } as const;
  const outcome = readInTurn(pipeline, delivered, options, scheduler);
  return isPromise(outcome)
    ? outcome.then((settled) => resultOf(context, delivered, settled, delivery, decide, openings))
    : resultOf(context, delivered, outcome, delivery, decide, openings);
}

/** Reads a peeked message; one that cannot be read is handed over with its `failure`. */
export function readPeeked(
  { pipeline, observer, entityPath }: ReceiverContext,
  delivered: DeliveredMessage,
): Awaitable<PeekedMessage> {
  return afterwards(readBody(pipeline, delivered, { isTimed: observer?.isOn }), (outcome): PeekedMessage => {
    observer?.deserialized(entityPath, delivered, outcome, true);
    return outcome.status === "decoded"
      ? receivedMessage(delivered, outcome, undefined)
      : undecodedMessage(delivered, outcome, undefined);
  });
}

/** Dead-letters an undeserializable message. Never rejects. */
export async function deadLetter(
  context: ReceiverContext,
  undecoded: Parameters<typeof deadLetterUndecoded>[0],
): Promise<UndeserializableEvent> {
  const event = await deadLetterUndecoded(undecoded, context);
  // If that failed, the lock must expire, so that the message is delivered again.
  context.renewal.forget(undecoded.delivery);
  return event;
}

function resultOf(
  context: ReceiverContext,
  delivered: DeliveredMessage,
  outcome: DeserializationOutcome,
  delivery: Delivery | undefined,
  decide: DecideUnread,
  openings: number,
): Awaitable<ReadResult> {
  const { observer, entityPath, breaker, isSubQueue } = context;
  observer?.deserialized(entityPath, delivered, outcome, false);
  if (outcome.status === "decoded") {
    rememberRead(delivered, entityPath);
    breaker?.onDecoded(delivered, outcome.report, openings);
    return receivedMessage(delivered, outcome, delivery);
  }
  if (outcome.status === "unavailable") return whileUnavailable(context, delivered, outcome, delivery);
  // Nothing can be dead-lettered from there: the application gets it as it is.
  if (isSubQueue) return undecodedMessage(delivered, outcome, delivery);
  return whenUndeserializable(context, delivered, outcome, delivery, decide);
}

/**
 * The message stays locked until it can be read. One for another reader is abandoned, but only a few times, because each counts a delivery.
 * In a session it stays, because it would be delivered to the same receiver again.
 */
function whileUnavailable(
  context: ReceiverContext,
  delivered: DeliveredMessage,
  outcome: Unavailable,
  delivery: Delivery | undefined,
): Awaitable<ReadResult> {
  const undecoded = { delivered, outcome, delivery };
  if (delivery === undefined) {
    return context.isSubQueue
      ? undecodedMessage(delivered, outcome, undefined)
      : quarantineUndecoded(undecoded, context);
  }
  const isForAnother = outcome.error.stage === "select";
  const isLeft =
    isForAnother && context.session === undefined && delivered.deliveryCount < maxDeliveriesBeforeHolding;
  // It is abandoned before its lock ends.
  if (isLeft) context.renewal.forget(delivery);
  return undeserializableEvent(undecoded, context, isLeft ? "abandoned" : "held");
}

/** First asks whether another reader that runs now knows the format, then what this receiver does with such messages. */
async function whenUndeserializable(
  context: ReceiverContext,
  delivered: DeliveredMessage,
  outcome: Undeserializable,
  delivery: Delivery | undefined,
  decide: DecideUnread,
): Promise<ReadResult> {
  if (delivery !== undefined && context.otherReaders !== undefined) {
    const left = await context.otherReaders.leave(delivered, outcome, context.pipeline);
    if (left.status === "unavailable") return whileUnavailable(context, delivered, left, delivery);
  }
  // Only for messages that no other reader takes, so that those of a newer version do not open a circuit.
  const action = await decide(delivered, outcome.report);
  const undecoded = { delivered, outcome, delivery };
  // The broker has deleted it already, so only a copy can be kept.
  if (delivery === undefined) return quarantineUndecoded(undecoded, context);
  if (action === "deadLetter") return deadLetter(context, { delivered, outcome, delivery });
  return undeserializableEvent(undecoded, context, dispositionOf[action]);
}
