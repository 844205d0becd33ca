import { Buffer } from "node:buffer";
import { stringMap } from "@waybill/amqp";
import { fromBrokerMessage } from "../from-broker-message.js";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Messages that one request returns at most. */
const COUNT_LIMIT = 1000;

/** Reads messages in any state without locking them; 204 where there are none. */
export async function peekMessage({ broker, path, body }: ManagementRequest): Promise<ManagementReply> {
  const from = body.optionalInteger("from-sequence-number") ?? 0n;
  const sessionId = body.optionalText("session-id");
  const messages = await broker.receiver(path).peek(Math.min(body.count("message-count"), COUNT_LIMIT), {
    fromSequenceNumber: from < 0n ? 0n : from,
    sessionId,
  });
  if (messages.length === 0) return { statusCode: 204 };
  return {
    statusCode: 200,
    body: {
      messages: messages.map((message) =>
        stringMap({ message: Buffer.concat(fromBrokerMessage(message, { isPeeked: true })) }),
      ),
    },
  };
}
