import { array, timestamp } from "@waybill/amqp";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Lets the locks of messages start anew and answers their ends in the order of the tokens. */
export async function renewLock({ broker, path, body }: ManagementRequest): Promise<ManagementReply> {
  const receiver = broker.receiver(path);
  const ends = await Promise.all(body.uuids("lock-tokens").map((token) => receiver.renewLock(token)));
  return { statusCode: 200, body: { expirations: array("timestamp", ends.map(timestamp)) } };
}
