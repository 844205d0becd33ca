import { timestamp } from "@waybill/amqp";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Renews the lock of a session and returns its new end. */
export async function renewSessionLock({
  sessions,
  path,
  body,
}: ManagementRequest): Promise<ManagementReply> {
  const expiration = await sessions.require(path, body.text("session-id")).renewSessionLock();
  return { statusCode: 200, body: { expiration: timestamp(expiration) } };
}
