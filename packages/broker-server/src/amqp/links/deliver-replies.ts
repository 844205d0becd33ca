import type { SenderLink } from "@waybill/amqp";
import type { Address } from "../../refusals/address.js";
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
    onDisposition: (delivery, state) => link.settle(delivery, state),
    onDetach() {
      peer.replyLinks.delete(link);
      peer.release(link);
    },
  };
  link.accept();
}

/** Refuses the management node of a missing entity, or one on which the client has no rights at all. */
export function requireNode(peer: Peer, link: Parameters<Peer["guard"]>[0], path: string): void {
  peer.guard(link, path, "Listen", "Send");
  peer.broker.receiver(path).close();
}
