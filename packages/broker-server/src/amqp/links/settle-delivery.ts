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
import { SharedAnswers } from "./shared-answers.js";

const reasonProperty = "DeadLetterReason";
const descriptionProperty = "DeadLetterErrorDescription";

/**
 * Applies a client's disposition and answers it with the outcome that SDKs take for success: rejected without an error for a dead-lettered
 * message, with an error if the settlement failed. A client that settled the delivery itself gets no answer.
 */
export function settleDelivery(
  peer: Peer,
  receiver: MessageReceiver,
  delivery: OutgoingDelivery,
  state: DeliveryState | undefined,
  answers: SharedAnswers<OutgoingDelivery>,
): void {
  const outcome = outcomeIn(state);
  if (outcome === undefined || outcome.kind === "received") return;
  try {
    const transaction = peer.transactions.ofSettlement(state, receiver.path);
    answers.add(settle(receiver, delivery.context as MessageLock, outcome, transaction), delivery, state);
  } catch (error) {
    answers.add(Promise.reject(error), delivery, state);
  }
}

/** The answers to the settlements of a link, for {@link settleDelivery}. */
export function settlementAnswers(peer: Peer, link: SenderLink): SharedAnswers<OutgoingDelivery> {
  const refuse = (delivery: OutgoingDelivery, error: unknown): void => {
    if (!delivery.isSettled) link.settle(delivery, rejected(toAmqpError(error, peer)));
  };
  return new SharedAnswers((delivery, state) => {
    const outcome = outcomeIn(state);
    try {
      if (outcome !== undefined && !delivery.isSettled)
        link.settle(delivery, under(state, answerTo(outcome)));
    } catch (error) {
      refuse(delivery, error);
    }
  }, refuse);
}

function outcomeIn(state: DeliveryState | undefined): DeliveryState | undefined {
  return state?.kind === "transactional" ? state.outcome : state;
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
