import { Buffer } from "node:buffer";
import { type AmqpMap, type AmqpValue, stringMap, uuid } from "@waybill/amqp";
import type { BrokerReceivedMessage } from "@waybill/broker";
import { fromBrokerMessage } from "../../messages/from-broker-message.js";
import { inTurns } from "./in-turns.js";
import { type ManagementReply, type ManagementRequest, receiverOf } from "./request.js";

/** Receives deferred messages by sequence number, all or none: `receiver-settle-mode` 0 removes them, 1 locks them. */
export async function receiveBySequenceNumber(request: ManagementRequest): Promise<ManagementReply> {
  const { body } = request;
  const isPeekLock = body.optionalInteger("receiver-settle-mode") !== 0n;
  const receiver = receiverOf(request, isPeekLock ? "peekLock" : "receiveAndDelete");
  const maxSizeInBytes = request.maxAnswerBytes;
  const messages = await receiver.receiveDeferred(body.integers("sequence-numbers"), { maxSizeInBytes });
  if (!isPeekLock && receiver.mode === "peekLock") {
    await inTurns(messages, request.pause, (message) => receiver.complete(message));
  }
  const entries = await inTurns(messages, request.pause, async (message) => toEntry(message));
  return { statusCode: 200, body: { messages: entries } };
}

function toEntry(message: BrokerReceivedMessage): AmqpMap {
  const encoded = Buffer.concat(fromBrokerMessage(message));
  const entry: Record<string, AmqpValue> = { message: encoded };
  if (message.lockToken !== undefined) entry["lock-token"] = uuid(message.lockToken);
  return stringMap(entry);
}
