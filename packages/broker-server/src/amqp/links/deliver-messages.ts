import type { SenderLink } from "@waybill/amqp";
import type { MessageReceiver } from "@waybill/broker/front-end";
import type { Peer } from "../peer.js";
import { pushMessages } from "./push-messages.js";

/** Accepts a link on which a client receives from a queue, subscription or sub-queue without sessions. */
export function deliverMessages(peer: Peer, link: SenderLink, path: string): void {
  peer.guard(link, path, "Listen");
  const receiver = peer.broker.receiver(path, { mode: receiveMode(link) });
  pushMessages(peer, link, receiver, () => {
    receiver.close();
    peer.release(link);
  });
  link.accept();
}

/** A client that requests pre-settled transfers receives in receive-and-delete mode. */
export function receiveMode(link: SenderLink): MessageReceiver["mode"] {
  return link.remoteAttach?.sndSettleMode === 1 ? "receiveAndDelete" : "peekLock";
}
