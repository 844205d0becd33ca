import {
  AmqpDecodeError,
  acceptedState,
  type IncomingDelivery,
  type ReceiverLink,
  rejected,
  scanMessage,
} from "@waybill/amqp";
import { batchMessageFormat } from "@waybill/amqp/batches";
import { countBatch, scanBatch } from "@waybill/amqp/server";
import type { BrokerMessage, BrokerSender } from "@waybill/broker";
import { ownersIn } from "../../authorization/owner.js";
import { textOf } from "../../messages/application-properties.js";
import { messageLimit } from "../../messages/message-limit.js";
import { toBrokerMessage } from "../../messages/to-broker-message.js";
import { entityOf, parseAddress } from "../../refusals/address.js";
import { AmqpRefusal, notFound, toAmqpError } from "../../refusals/error.js";
import { tracked } from "../../refusals/service-text.js";
import type { Peer } from "../peer.js";
import { under } from "../transactions.js";
import { SharedAnswers } from "./shared-answers.js";

/** Maximum unsettled deliveries of a link, as in the service. */
const creditWindow = 1000;
const transferDestination = "com.microsoft:transfer-destination-address";

/** Accepts a link on which a client sends to a queue or topic, or to another entity via one. */
export function acceptSends(peer: Peer, link: ReceiverLink, path: string): void {
  peer.guard(link, path, "Send");
  const sender = openSender(peer, link, path);
  const answers = answersTo(peer, link);
  link.handler = {
    onTransfer: (delivery) => take(peer, sender, delivery, answers),
    onDetach: () => peer.release(link),
  };
  const properties = link.remoteAttach?.properties;
  const maxMessageSize = messageLimit(peer.broker, path);
  // While it is received, a message may be held twice.
  peer.budget.raiseLimit(3 * maxMessageSize);
  link.accept({
    creditWindow: creditWindow,
    maxMessageSize,
    // SDKs wait for the outcome of their message and do not relate a detach to it.
    oversized: ({ id, size, limit }) => ({
      condition: "amqp:link:message-size-exceeded",
      description: tracked(
        `The received message (delivery-id:${id}, size:${size} bytes) exceeds the limit (${limit} bytes) currently allowed on the link.`,
        peer,
        path,
      ),
    }),
    ...(properties?.get(transferDestination) !== undefined && { properties }),
  });
}

function openSender(peer: Peer, link: ReceiverLink, path: string): BrokerSender {
  const destination = textOf(link.remoteAttach?.properties?.get(transferDestination));
  if (destination === undefined) return peer.broker.sender(path);
  const address = parseAddress(destination);
  if (address?.kind !== "entity") {
    throw new AmqpRefusal("amqp:invalid-field", `${transferDestination} names no entity.`);
  }
  peer.claims.require(address.path, "Send");
  // Nothing can be sent to a subscription. To whoever has only its topic's key, a queue with such an address looks the same.
  if (ownersIn(peer.broker).ownerOf(address.path.toLowerCase()) !== entityOf(address.path))
    throw notFound(address.path);
  return peer.broker.sender(address.path, { via: path });
}

function answersTo(peer: Peer, link: ReceiverLink): SharedAnswers<IncomingDelivery> {
  return new SharedAnswers(
    (delivery) => {
      peer.addPending(-delivery.message.length);
      if (!delivery.isSettled) link.settle(delivery, under(delivery.state, acceptedState));
    },
    (delivery, error) => {
      peer.addPending(-delivery.message.length);
      if (!delivery.isSettled) link.settle(delivery, rejected(toAmqpError(error, peer)));
    },
  );
}

function take(
  peer: Peer,
  sender: BrokerSender,
  delivery: IncomingDelivery,
  answers: SharedAnswers<IncomingDelivery>,
): void {
  const { message, link } = delivery;
  peer.addPending(message.length);
  answers.add(send(peer, sender, delivery), delivery);
  // The broker has copied what it keeps; only in a transaction, rules may read properties later.
  if (delivery.state === undefined) link.session.connection.recycle(message);
}

function send(
  peer: Peer,
  sender: BrokerSender,
  { format, link, message, state }: IncomingDelivery,
): Promise<void> {
  try {
    const transaction = peer.transactions.of(state);
    return format === batchMessageFormat
      ? sender.sendBatch(readBatch(peer, message, link.name), transaction)
      : sender.send(toBrokerMessage(scanMessage(message)), transaction);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The messages of a batch. An empty batch is refused in the service's wording, which users search for. */
function readBatch({ limits }: Peer, envelope: Uint8Array, link: string): BrokerMessage[] {
  if (countBatch(envelope, limits.batchMessages) > limits.batchMessages) {
    throw new AmqpRefusal(
      "amqp:link:message-size-exceeded",
      `The batch has more than ${limits.batchMessages} messages, which is as many as a batch may have.`,
    );
  }
  try {
    return scanBatch(envelope).map(toBrokerMessage);
  } catch (error) {
    if (!(error instanceof AmqpDecodeError) || scanMessage(envelope).bodyKind !== "none") throw error;
    throw new AmqpRefusal(
      "amqp:not-allowed",
      `The link '${link}' is force detached by the broker because publisher(${link}) received a batch message with no data in it. Detach origin: Publisher.`,
    );
  }
}
