import type { SenderLink } from "@waybill/amqp";
import type { BrokerReceivedMessage, Consumer } from "@waybill/broker";
import type { MessageReceiver } from "@waybill/broker/front-end";
import { fromBrokerMessage } from "../../messages/from-broker-message.js";
import { unwritable } from "../../messages/unwritable-message.js";
import type { Peer } from "../peer.js";
import { nextTag, toDeliveryTag } from "./delivery-tags.js";
import { settleDelivery, settlementAnswers } from "./settle-delivery.js";

/** Maximum messages requested from the broker at once, whatever credit a client grants. */
const maxGrant = 200;
/** Messages requested between checks of the turn. */
const smallGrant = 16;

/**
 * Pushes a receiver's messages on a link as far as the client's credit allows, and applies the client's settlements. `onEnd` is called when
 * the link has ended.
 */
export function pushMessages(
  peer: Peer,
  link: SenderLink,
  receiver: MessageReceiver,
  onEnd: () => void,
): void {
  const isPeekLock = receiver.mode === "peekLock";
  const answers = settlementAnswers(peer, link);
  const consumer: Consumer = receiver.consume({
    onMessage(message) {
      let parts: Uint8Array[];
      try {
        parts = fromBrokerMessage(message);
      } catch {
        // This error affects this link only; a locked message is dead-lettered after the maximum number of deliveries.
        peer.end(link, unwritable(message));
        return;
      }
      push(link, message, parts, isPeekLock);
      if (peer.isFull(link.session.connection)) consumer.drain();
      if (consumer.credit === 0) peer.whenWritten(refill);
    },
    onClosed(error) {
      peer.end(link, error);
    },
  });
  const refill = (): void => {
    if (link.isDetached) return;
    // The client may also have reduced its credit.
    if (link.credit < consumer.credit) consumer.drain();
    if (peer.isFull(link.session.connection) || !grant(peer, link, consumer)) peer.whenWritten(refill);
  };
  link.handler = {
    onCredit: refill,
    onDrain() {
      drain(peer, link, consumer);
    },
    onDisposition(delivery, state) {
      settleDelivery(peer, receiver, delivery, state, answers);
    },
    onDetach() {
      consumer.close();
      onEnd();
    },
  };
}

function push(
  link: SenderLink,
  message: BrokerReceivedMessage,
  parts: readonly Uint8Array[],
  isPeekLock: boolean,
): void {
  const { lockTokenBytes } = message;
  link.send(parts, {
    deliveryTag: lockTokenBytes === undefined ? nextTag() : toDeliveryTag(lockTokenBytes),
    settled: !isPeekLock,
    context: message.lock,
  });
}

/**
 * Requests as many messages from the broker as the client has given credit for; returns `false` if the turn, or the room for output, ended
 * before. Ready messages are delivered at once, so it requests a few at a time.
 */
function grant(peer: Peer, link: SenderLink, consumer: Consumer): boolean {
  for (;;) {
    const wanted = Math.min(link.credit, maxGrant) - consumer.credit;
    if (wanted <= 0) return true;
    consumer.grant(consumer.credit > 0 ? wanted : Math.min(wanted, smallGrant));
    if (consumer.credit > 0) continue;
    if (peer.isFull(link.session.connection) || peer.turns.isOver()) return false;
  }
}

/** Uses up the credit as far as messages are ready, and returns the rest (2.6.7). */
function drain(peer: Peer, link: SenderLink, consumer: Consumer): void {
  do {
    if (!peer.isFull(link.session.connection) && grant(peer, link, consumer)) continue;
    if (link.credit === 0) break;
    peer.whenWritten(() => {
      if (!link.isDetached && link.isDraining) drain(peer, link, consumer);
    });
    return;
  } while (consumer.drain() === 0 && link.credit > 0);
  link.completeDrain();
}
