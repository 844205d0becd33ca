import {
  AmqpMap,
  type DeliveryState,
  type Outcome,
  type OutgoingDelivery,
  rejected,
  rejectedState,
  type SenderLink,
} from "@waybill/amqp";
import type { DeadLetterOptions, Transaction } from "@waybill/broker";
import type { EveryProperty, MessageLock, MessageReceiver } from "@waybill/broker/front-end";
import { keyText, textOf } from "../../messages/application-properties.js";
import { readChangedProperties } from "../../messages/check-properties.js";
import { AmqpRefusal, toAmqpError } from "../../refusals/error.js";
import type { Peer } from "../peer.js";
import { under } from "../transactions.js";

const reasonProperty = "DeadLetterReason";
const descriptionProperty = "DeadLetterErrorDescription";

/**
 * Applies a client's disposition and confirms it with the outcome that SDKs take for success: rejected without an error for a dead-lettered
 * message, with an error if the settlement failed. A client that settled the delivery itself gets no answer.
 */
export function settleDelivery(
  peer: Peer,
  receiver: MessageReceiver,
  link: SenderLink,
  delivery: OutgoingDelivery,
  state: DeliveryState | undefined,
): void {
  const outcome = state?.kind === "transactional" ? state.outcome : state;
  if (outcome === undefined || outcome.kind === "received") return;
  const refuse = (error: unknown): void => {
    if (!delivery.isSettled) link.settle(delivery, rejected(toAmqpError(error, peer)));
  };
  const confirm = (): void => {
    try {
      if (!delivery.isSettled) link.settle(delivery, under(state, answerTo(outcome)));
    } catch (error) {
      refuse(error);
    }
  };
  try {
    const transaction = peer.transactions.ofSettlement(state, receiver.path);
    settle(receiver, delivery.context as MessageLock, outcome, transaction).then(confirm, refuse);
  } catch (error) {
    refuse(error);
  }
}

function settle(
  receiver: MessageReceiver,
  message: MessageLock,
  outcome: DeliveryState,
  transaction: Transaction | undefined,
): Promise<void> {
  switch (outcome.kind) {
    case "accepted":
      return receiver.complete(message, transaction);
    case "released":
      return receiver.release(message, transaction);
    case "modified": {
      const changes = readChangedProperties(outcome.messageAnnotations);
      return outcome.undeliverableHere === true
        ? receiver.defer(message, changes, transaction)
        : receiver.abandon(message, changes, transaction);
    }
    case "rejected":
      return receiver.deadLetter(message, readRejection(outcome), transaction);
    default:
      throw new AmqpRefusal("amqp:not-implemented", `A message cannot be settled as ${outcome.kind}.`);
  }
}

function readRejection({ error }: Outcome & { kind: "rejected" }): DeadLetterOptions {
  if (error === undefined) return {};
  const { description, ...rest } = readDeadLetterInfo(error.info);
  return { ...rest, description: description ?? textOf(error.description) };
}

/** Reads the error info of a rejected outcome: the dead-letter reason and description, and the properties to modify. */
function readDeadLetterInfo(info: AmqpMap | undefined): DeadLetterOptions {
  if (info === undefined) return {};
  const others = new AmqpMap(
    info.entries.filter(([key]) => keyText(key) !== reasonProperty && keyText(key) !== descriptionProperty),
  );
  const propertiesToModify = readChangedProperties(others);
  return {
    reason: textOf(info.get(reasonProperty)),
    description: textOf(info.get(descriptionProperty)),
    propertiesToModify,
  } satisfies EveryProperty<DeadLetterOptions>;
}

function answerTo(outcome: DeliveryState): Outcome {
  switch (outcome.kind) {
    case "modified": {
      const { messageAnnotations: _, ...answer } = outcome;
      return answer;
    }
    case "rejected":
      return rejectedState;
    default:
      return outcome as Outcome;
  }
}
