import { AmqpMap, array, long, scanMessage } from "@waybill/amqp";
import { toBrokerMessage } from "../../messages/to-broker-message.js";
import { badRequest } from "../../refusals/error.js";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Schedules messages for the time in each of them, and returns the sequence numbers that cancel them. */
export async function scheduleMessage(request: ManagementRequest): Promise<ManagementReply> {
  const { broker, path, body, transaction } = request;
  const messages = body.items("messages").map((item) => {
    const encoded = item instanceof AmqpMap ? item.get("message") : undefined;
    if (!(encoded instanceof Uint8Array)) throw badRequest("An item of 'messages' has no 'message'.");
    return toBrokerMessage(scanMessage(encoded));
  });
  const numbers = await broker.sender(path).schedule(messages, transaction);
  return { statusCode: 200, body: { "sequence-numbers": array("long", numbers.map(long)) } };
}

/** Cancels scheduled messages by sequence number, all or none. */
export async function cancelScheduledMessage(request: ManagementRequest): Promise<ManagementReply> {
  await request.broker.sender(request.path).cancelScheduled(request.body.integers("sequence-numbers"));
  return { statusCode: 200 };
}
