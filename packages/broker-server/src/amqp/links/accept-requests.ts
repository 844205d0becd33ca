import {
  acceptedState,
  type IncomingDelivery,
  type ReceiverLink,
  rejected,
  scanMessage,
} from "@waybill/amqp";
import { requestLimits } from "../../limits/request-limits.js";
import { textOf } from "../../messages/application-properties.js";
import { messageLimit } from "../../messages/message-limit.js";
import type { Node } from "../../refusals/address.js";
import { AmqpRefusal, toAmqpError } from "../../refusals/error.js";
import { answerRequest, isLong } from "../management/answer-request.js";
import type { Peer } from "../peer.js";
import { putToken } from "../put-token.js";
import { under } from "../transactions.js";
import { requireNode } from "./deliver-replies.js";
import { nextTag } from "./delivery-tags.js";

const { requestsPerLink: creditWindow, tokenRequestBytes, requestValues } = requestLimits;
/** The same on `$cbs`, which is open to unauthenticated clients. */
const cbsCreditWindow = 20;
/** Minimum size limit of requests, and the allowance on top of the maximum message size, in bytes. */
const minRequestLimit = 2 ** 20;
const requestOverhead = 2 ** 16;
/** Maximum replies, and their bytes, kept for a client that gives its reply link no credit. */
const replyLimit = 1000;
const replyBytesLimit = 2 ** 24;

/** Accepts a link on which a client sends requests to `$cbs` or the management node of an entity. */
export function acceptRequests(peer: Peer, link: ReceiverLink, node: Node): void {
  if (node.kind === "management") requireNode(peer, link, node.path);
  link.handler = {
    onTransfer: (delivery) => void take(peer, link, node, delivery),
    onDetach: () => peer.release(link),
  };
  if (node.kind === "cbs") {
    link.accept({ creditWindow: cbsCreditWindow, maxMessageSize: tokenRequestBytes });
  } else link.accept({ creditWindow: creditWindow, maxMessageSize: requestLimit(peer, node.path) });
}

/** Requests schedule messages and set session states, so a request has room for the largest of these, or for several small ones. */
function requestLimit({ broker }: Peer, path: string): number {
  return Math.max(messageLimit(broker, path), minRequestLimit) + requestOverhead;
}

async function take(peer: Peer, link: ReceiverLink, node: Node, delivery: IncomingDelivery): Promise<void> {
  let cost = 0;
  try {
    cost = peer.requests.hold(delivery.message.length);
    const sections = scanMessage(delivery.message);
    const { messageId, replyTo } = sections.decodeProperties() ?? {};
    const applicationProperties = sections.decodeApplicationProperties();
    const answer = (): Promise<Uint8Array> => {
      const [body] = sections.decodeBody(requestValues);
      const request = { applicationProperties, body, state: delivery.state };
      if (!delivery.isSettled) link.settle(delivery, under(delivery.state, acceptedState));
      return node.kind === "cbs"
        ? putToken(peer, request, messageId ?? null)
        : answerRequest(peer, node.path, request, messageId ?? null);
    };
    const isInTurn = node.kind === "management" && isLong(applicationProperties);
    const answered = await (isInTurn ? peer.requests.run(link.session.connection, answer) : answer());
    reply(peer, link, node, textOf(replyTo), answered);
  } catch (error) {
    refuse(peer, link, delivery, error);
  } finally {
    peer.budget.give(cost);
  }
}

/** The sender of a pre-settled request gets no outcome, so its link is detached with the error. */
function refuse(peer: Peer, link: ReceiverLink, delivery: IncomingDelivery, error: unknown): void {
  if (!delivery.isSettled) link.settle(delivery, rejected(toAmqpError(error, peer)));
  else if (error instanceof AmqpRefusal && error.condition === "amqp:resource-limit-exceeded")
    peer.end(link, error);
}

function reply(
  peer: Peer,
  request: ReceiverLink,
  node: Node,
  replyTo: string | undefined,
  answer: Uint8Array,
): void {
  const link = peer.replyLinks.find(request.session, node, replyTo);
  if (link === undefined) return;
  if (link.queued >= replyLimit || link.queuedSize > replyBytesLimit) {
    const description = `${link.queued} replies wait for credit on this link.`;
    peer.replyLinks.delete(link);
    link.detach({ condition: "amqp:resource-limit-exceeded", description });
    return;
  }
  link.send(answer, { deliveryTag: nextTag(), settled: link.remoteAttach?.sndSettleMode !== 0 });
}
