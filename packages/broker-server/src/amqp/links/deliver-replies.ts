import type { SenderLink } from "@waybill/amqp";
import { BrokerError } from "@waybill/broker";
import type { Address } from "../address.js";
import type { Peer } from "../peer.js";

/** Accepts a link on which a client receives the replies of a request node. */
export function deliverReplies(
  peer: Peer,
  link: SenderLink,
  address: Exclude<Address, { kind: "entity" }>,
): void {
  if (address.kind === "management") requireNode(peer, link, address.path);
  peer.replyLinks.add(link);
  link.handler = {
    onDisposition(delivery, state) {
      if (!delivery.isSettled) link.settle(delivery, state);
    },
    onDetach() {
      peer.replyLinks.delete(link);
      peer.release(link);
    },
  };
  link.accept();
}

/** Refuses the management node of an entity that does not exist or on which the client has no rights at all. */
export function requireNode(peer: Peer, link: Parameters<Peer["guard"]>[0], path: string): void {
  peer.guard(link, path, "Listen", "Send");
  try {
    peer.broker.receiver(path).close();
  } catch (error) {
    // A topic has a management node, too, for scheduling, though nothing can be received from it.
    if (!(error instanceof BrokerError) || error.code !== "not-allowed") throw error;
  }
}
