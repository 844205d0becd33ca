import {
  ACCEPTED,
  type AmqpMap,
  type AmqpValue,
  addressOf,
  type IncomingDelivery,
  type ReceiverLink,
  rejected,
  type SenderLink,
  scanMessage,
} from "@waybill/amqp";
import { type Address, parseAddress } from "../address.js";
import { textOf } from "../application-properties.js";
import { toAmqpError } from "../error.js";
import { answerRequest } from "../management/answer-request.js";
import { messageLimit } from "../message-limit.js";
import type { Peer } from "../peer.js";
import { putToken } from "../put-token.js";
import { under } from "../transactions.js";
import { requireNode } from "./deliver-replies.js";
import { nextTag } from "./next-tag.js";

/** A request to `$cbs` or a management node. */
export interface NodeRequest {
  readonly applicationProperties: AmqpMap | undefined;
  readonly body: AmqpValue | undefined;
  readonly state: IncomingDelivery["state"];
}

type Node = Exclude<Address, { kind: "entity" }>;

/** Requests a client may have under way on one link. */
const CREDIT_WINDOW = 100;
/** What a request may have in bytes whatever the entity's messages may, and besides them. */
const LEAST_REQUEST_LIMIT = 2 ** 20;
const REQUEST_OVERHEAD = 2 ** 16;
/** Replies kept for a client that gives its reply link no credit, and their bytes. */
const REPLY_LIMIT = 1000;
const REPLY_BYTES_LIMIT = 2 ** 24;

/** Accepts a link on which a client sends requests to `$cbs` or the management node of an entity. */
export function acceptRequests(peer: Peer, link: ReceiverLink, node: Node): void {
  if (node.kind === "management") requireNode(peer, link, node.path);
  link.handler = {
    onTransfer: (delivery) => void take(peer, link, node, delivery),
    onDetach: () => peer.release(link),
  };
  if (node.kind === "cbs") link.accept({ creditWindow: CREDIT_WINDOW });
  else link.accept({ creditWindow: CREDIT_WINDOW, maxMessageSize: requestLimit(peer, node.path) });
}

/** Messages are scheduled, and states set, by requests: one has room for the largest of them, or for several that are small. */
function requestLimit({ broker }: Peer, path: string): number {
  return Math.max(messageLimit(broker, path), LEAST_REQUEST_LIMIT) + REQUEST_OVERHEAD;
}

async function take(peer: Peer, link: ReceiverLink, node: Node, delivery: IncomingDelivery): Promise<void> {
  try {
    const sections = scanMessage(delivery.message);
    const { messageId, replyTo } = sections.decodeProperties() ?? {};
    const request = {
      applicationProperties: sections.decodeApplicationProperties(),
      body: sections.decodeBody()[0],
      state: delivery.state,
    };
    if (!delivery.isSettled) link.settle(delivery, under(delivery.state, ACCEPTED));
    const answer = await (node.kind === "cbs"
      ? putToken(peer, request, messageId ?? null)
      : answerRequest(peer, node.path, request, messageId ?? null));
    reply(peer, link, node, textOf(replyTo), answer);
  } catch (error) {
    if (!delivery.isSettled) link.settle(delivery, rejected(toAmqpError(error, peer)));
  }
}

function reply(
  peer: Peer,
  request: ReceiverLink,
  node: Node,
  replyTo: string | undefined,
  answer: Uint8Array,
): void {
  const link = findReplyLink(peer, request, node, replyTo);
  if (link === undefined) return;
  if (link.queued >= REPLY_LIMIT || link.queuedSize > REPLY_BYTES_LIMIT) {
    const description = `${link.queued} replies wait for credit on this link.`;
    peer.replyLinks.delete(link);
    link.detach({ condition: "amqp:resource-limit-exceeded", description });
    return;
  }
  link.send(answer, { deliveryTag: nextTag(), settled: link.remoteAttach?.sndSettleMode !== 0 });
}

/**
 * The link a reply goes out on. SDKs name it in `reply-to` by its target's address or by its own name; those that name none mean
 * their link from the same node.
 */
function findReplyLink(
  { replyLinks }: Peer,
  request: ReceiverLink,
  node: Node,
  replyTo: string | undefined,
): SenderLink | undefined {
  const links = [...replyLinks];
  return (
    (replyTo && links.find((link) => addressOf(link.remoteTarget) === replyTo)) ||
    (replyTo && links.find((link) => link.name === replyTo)) ||
    links.find((link) => link.session === request.session && isAt(link, node)) ||
    undefined
  );
}

function isAt(link: SenderLink, node: Node): boolean {
  const address = parseAddress(addressOf(link.remoteSource) ?? "");
  if (address?.kind !== node.kind) return false;
  return !("path" in address && "path" in node) || address.path.toLowerCase() === node.path.toLowerCase();
}
