import { addressOf, type ReceiverLink, type SenderLink } from "@waybill/amqp";
import { type Address, parseAddress } from "../../refusals/address.js";
import { AmqpRefusal, toAmqpError } from "../../refusals/error.js";
import type { Peer } from "../peer.js";
import { acceptCoordinator } from "./accept-coordinator.js";
import { acceptRequests } from "./accept-requests.js";
import { acceptSends } from "./accept-sends.js";
import { deliverMessages } from "./deliver-messages.js";
import { deliverReplies } from "./deliver-replies.js";
import { deliverSession, isSessionLink } from "./deliver-session.js";

/** Handles a client's attach: accepts the link for its address, or refuses it with the service's error. */
export function attach(peer: Peer, link: SenderLink | ReceiverLink): void {
  try {
    if (link.role === "receiver") attachReceiver(peer, link);
    else attachSender(peer, link);
  } catch (error) {
    peer.release(link);
    link.refuse(toAmqpError(error, peer));
  }
}

/** The client sends. */
function attachReceiver(peer: Peer, link: ReceiverLink): void {
  if (link.remoteTarget?.kind === "coordinator") {
    acceptCoordinator(peer, link);
    return;
  }
  const address = readAddress(addressOf(link.remoteTarget), "target");
  if (address.kind === "entity") acceptSends(peer, link, address.path);
  else acceptRequests(peer, link, address);
}

/** The client receives. */
function attachSender(peer: Peer, link: SenderLink): void {
  const address = readAddress(addressOf(link.remoteSource), "source");
  if (address.kind !== "entity") deliverReplies(peer, link, address);
  else if (isSessionLink(link)) deliverSession(peer, link, address.path);
  else deliverMessages(peer, link, address.path);
}

function readAddress(text: string | undefined, terminus: string): Address {
  const address = text === undefined ? undefined : parseAddress(text);
  if (address !== undefined) return address;
  throw new AmqpRefusal("amqp:invalid-field", `The link's ${terminus} names no entity.`);
}
