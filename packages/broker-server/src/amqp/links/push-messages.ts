import type { SenderLink } from "@waybill/amqp";
import type { Consumer, MessageReceiver, ReceivedMessage } from "@waybill/broker";
import { fromBrokerMessage } from "../from-broker-message.js";
import { toDeliveryTag } from "../lock-token-tag.js";
import type { Peer } from "../peer.js";
import { nextTag } from "./next-tag.js";
import { settleDelivery } from "./settle-delivery.js";

/**
 * Messages asked of the broker at once, however much credit a client grants: what a client that does not read can make the server
 * hold in memory.
 */
const LARGEST_GRANT = 200;

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
      push(link, message, isPeekLock);
      if (consumer.credit === 0) peer.whenWritten(refill);
    },
    onClosed(error) {
      peer.end(link, error);
    },
  });
  const refill = (): void => {
    if (!link.isDetached) grant(peer, link, consumer);
  };
  link.handler = {
    onCredit: refill,
    onDrain() {
      drain(link, consumer);
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

function push(link: SenderLink, message: ReceivedMessage, isPeekLock: boolean): void {
  const { lockTokenBytes } = message;
  link.send(fromBrokerMessage(message), {
    deliveryTag: lockTokenBytes === undefined ? nextTag() : toDeliveryTag(lockTokenBytes),
    settled: !isPeekLock,
    context: message,
  });
}

/** Makes the broker's view of the credit that of the client, which may also have taken some back. */
function grant(peer: Peer, link: SenderLink, consumer: Consumer): void {
  if (link.credit < consumer.credit) consumer.drain();
  if (peer.isCongested) {
    peer.whenWritten(() => {
      if (!link.isDetached) grant(peer, link, consumer);
    });
    return;
  }
  const wanted = Math.min(link.credit, LARGEST_GRANT) - consumer.credit;
  if (wanted > 0) consumer.grant(wanted);
}

/** Uses the credit up as far as there are messages, and gives the rest back (2.6.7). */
function drain(link: SenderLink, consumer: Consumer): void {
  for (;;) {
    const wanted = Math.min(link.credit, LARGEST_GRANT) - consumer.credit;
    if (wanted > 0) consumer.grant(wanted);
    if (consumer.drain() > 0 || link.credit === 0) break;
  }
  link.completeDrain();
}
