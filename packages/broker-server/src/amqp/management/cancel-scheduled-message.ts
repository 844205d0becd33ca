import type { ManagementReply, ManagementRequest } from "./request.js";

/** Cancels scheduled messages by sequence number, all or none. */
export async function cancelScheduledMessage({
  broker,
  path,
  body,
}: ManagementRequest): Promise<ManagementReply> {
  await broker.sender(path).cancelScheduled(body.integers("sequence-numbers"));
  return { statusCode: 200 };
}
