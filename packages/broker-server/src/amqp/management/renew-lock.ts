import { array, timestamp } from "@waybill/amqp";
import { inTurns } from "./in-turns.js";
import { holderOf, type ManagementReply, type ManagementRequest } from "./request.js";

/** Renews the locks of messages and returns their new ends in the order of the tokens. */
export async function renewLock(request: ManagementRequest): Promise<ManagementReply> {
  const receiver = holderOf(request);
  const ends = await inTurns(request.body.uuids("lock-tokens"), request.pause, (token) =>
    receiver.renewLock(token),
  );
  return { statusCode: 200, body: { expirations: array("timestamp", ends.map(timestamp)) } };
}
