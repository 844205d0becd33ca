import { Buffer } from "node:buffer";
import { type AmqpMap, stringMap } from "@waybill/amqp";
import type { ReceivedMessage } from "@waybill/broker";
import { fromBrokerMessage } from "../from-broker-message.js";
import { unwritable } from "../unwritable-message.js";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Messages that one request returns at most. */
const COUNT_LIMIT = 1000;

/**
 * Reads messages in any state without locking them; 204 where there are none. What cannot be written as AMQP is left out, so that clients get
 * beyond it.
 */
export async function peekMessage({ broker, path, body }: ManagementRequest): Promise<ManagementReply> {
  const receiver = broker.receiver(path);
  const count = Math.min(body.count("message-count"), COUNT_LIMIT);
  const sessionId = body.optionalText("session-id");
  let fromSequenceNumber = body.optionalInteger("from-sequence-number") ?? 0n;
  if (fromSequenceNumber < 0n) fromSequenceNumber = 0n;
  for (;;) {
    const peeked = await receiver.peek(count, { fromSequenceNumber, sessionId });
    const last = peeked.at(-1);
    if (last === undefined) return { statusCode: 204 };
    const messages = peeked.flatMap(toEntries);
    if (messages.length > 0) return { statusCode: 200, body: { messages } };
    fromSequenceNumber = last.sequenceNumber + 1n;
  }
}

function toEntries(message: ReceivedMessage): AmqpMap[] {
  try {
    return [stringMap({ message: Buffer.concat(fromBrokerMessage(message, { isPeeked: true })) })];
  } catch {
    unwritable(message);
    return [];
  }
}
