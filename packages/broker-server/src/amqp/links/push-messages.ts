import type { SenderLink } from "@waybill/amqp";
import type { Consumer, ReceivedMessage } from "@waybill/broker";
import type { MessageReceiver } from "@waybill/broker/front-end";
import { fromBrokerMessage } from "../../messages/from-broker-message.js";
import { toDeliveryTag } from "../../messages/lock-token-tag.js";
import { unwritable } from "../../messages/unwritable-message.js";
import type { Peer } from "../peer.js";
import { nextTag } from "./next-tag.js";
import { settleDelivery } from "./settle-delivery.js";

/** Messages asked of the broker at once, however much credit a client grants. */
const LARGEST_GRANT = 200;
/** Messages asked for between two looks at the turn. */
const SMALL_GRANT = 16;
/** Output in bytes after which no more messages are asked for until it is written, so that a client that does not read fills no memory. */
const LARGEST_OUTPUT = 2 ** 20;

/**
 * Pushes a receiver's messages on a link as far as the client's credit goes, and does what the client says to them. `onEnd` is
 * called when the link is over.
 */
export function pushMessages(
  peer: Peer,
  link: SenderLink,
  receiver: MessageReceiver,
  onEnd: () => void,
): void {
  const isPeekLock = receiver.mode === "peekLock";
  const consumer: Consumer = receiver.consume({
    onMessage(message) {
      let parts: Uint8Array[];
      try {
        parts = fromBrokerMessage(message);
      } catch {
        // It concerns this link alone; a locked message in the end lies in the dead-letter queue.
        peer.end(link, unwritable(message));
        return;
      }
      push(link, message, parts, isPeekLock);
      if (isFull(peer, link)) consumer.drain();
      if (consumer.credit === 0) peer.whenWritten(refill);
    },
    onClosed(error) {
      peer.end(link, error);
    },
  });
  const refill = (): void => {
    if (link.isDetached) return;
    // The client may also have taken credit back.
    if (link.credit < consumer.credit) consumer.drain();
    if (isFull(peer, link) || !grant(peer, link, consumer)) peer.whenWritten(refill);
  };
  link.handler = {
    onCredit: refill,
    onDrain() {
      drain(peer, link, consumer);
    },
    onDisposition(delivery, state) {
      settleDelivery(peer, receiver, link, delivery, state);
    },
    onDetach() {
      consumer.close();
      onEnd();
    },
  };
}

function push(
  link: SenderLink,
  message: ReceivedMessage,
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
 * Asks the broker for as many messages as the client has given credit for; `false` when the turn, or the room for output, ended before. What is
 * ready comes at once, so it asks for a few at a time as long as anything is.
 */
function grant(peer: Peer, link: SenderLink, consumer: Consumer): boolean {
  for (;;) {
    const wanted = Math.min(link.credit, LARGEST_GRANT) - consumer.credit;
    if (wanted <= 0) return true;
    consumer.grant(consumer.credit > 0 ? wanted : Math.min(wanted, SMALL_GRANT));
    if (consumer.credit > 0) continue;
    if (isFull(peer, link) || peer.turns.isOver()) return false;
  }
}

/** Uses the credit up as far as there are messages, and gives the rest back (2.6.7). */
function drain(peer: Peer, link: SenderLink, consumer: Consumer): void {
  do {
    if (!isFull(peer, link) && grant(peer, link, consumer)) continue;
    if (link.credit === 0) break;
    peer.whenWritten(() => {
      if (!link.isDetached && link.isDraining) drain(peer, link, consumer);
    });
    return;
  } while (consumer.drain() === 0 && link.credit > 0);
  link.completeDrain();
}

/** Whether so much waits to be written that nothing should be added. */
function isFull(peer: Peer, link: SenderLink): boolean {
  return peer.isCongested || link.session.connection.outputSize > LARGEST_OUTPUT;
}
