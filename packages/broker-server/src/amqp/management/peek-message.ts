import { Buffer } from "node:buffer";
import { type AmqpMap, stringMap } from "@waybill/amqp";
import type { BrokerReceivedMessage } from "@waybill/broker";
import { requestLimits } from "../../limits/request-limits.js";
import { type Delivery, fromBrokerMessage } from "../../messages/from-broker-message.js";
import { unwritable } from "../../messages/unwritable-message.js";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Clients repeat the request until no messages are left, and accept responses of 1 MB. */
const { peekedMessages: countLimit, peekedBytes: bytesLimit } = requestLimits;
/** Messages read at a time. */
const maxPageSize = 50;

/**
 * Reads messages in any state without locking them; 204 if there are none. Messages that cannot be encoded as AMQP are skipped, so that
 * clients can continue after them.
 */
export async function peekMessage({
  broker,
  path,
  body,
  pause,
}: ManagementRequest): Promise<ManagementReply> {
  const receiver = broker.receiver(path);
  const count = Math.min(body.count("message-count"), countLimit);
  const sessionId = body.optionalText("session-id");
  const delivery = { isPeeked: true, omitsBody: body.flag("omit-message-body") };
  let fromSequenceNumber = body.optionalInteger("from-sequence-number") ?? 0n;
  if (fromSequenceNumber < 0n) fromSequenceNumber = 0n;
  const messages: AmqpMap[] = [];
  let left = bytesLimit;
  while (messages.length < count) {
    const pageSize = Math.min(count - messages.length, maxPageSize);
    const page = await receiver.peek(pageSize, { fromSequenceNumber, sessionId, maxSizeInBytes: left });
    if (page.length === 0) break;
    for (const peeked of page) {
      const message = encode(peeked, delivery);
      left -= message?.length ?? 0;
      if (left < 0 && messages.length > 0) return answer(messages);
      if (message !== undefined) messages.push(stringMap({ message }));
      fromSequenceNumber = peeked.sequenceNumber + 1n;
    }
    if (left <= 0) break;
    await pause();
  }
  return answer(messages);
}

function answer(messages: readonly AmqpMap[]): ManagementReply {
  return messages.length === 0 ? { statusCode: 204 } : { statusCode: 200, body: { messages } };
}

function encode(message: BrokerReceivedMessage, delivery: Delivery): Uint8Array | undefined {
  try {
    return Buffer.concat(fromBrokerMessage(message, delivery));
  } catch {
    unwritable(message);
    return undefined;
  }
}
