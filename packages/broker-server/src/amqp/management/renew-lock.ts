import { array, timestamp } from "@waybill/amqp";
import { inTurns } from "./in-turns.js";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Lets the locks of messages start anew and answers their ends in the order of the tokens. */
export async function renewLock({ broker, path, body, pause }: ManagementRequest): Promise<ManagementReply> {
  const receiver = broker.receiver(path);
  const ends = await inTurns(body.uuids("lock-tokens"), pause, (token) => receiver.renewLock(token));
  return { statusCode: 200, body: { expirations: array("timestamp", ends.map(timestamp)) } };
}
