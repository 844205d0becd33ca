import { int } from "@waybill/amqp";
import { requestLimits } from "../../limits/request-limits.js";
import { type ManagementReply, type ManagementRequest, receiverOf } from "./request.js";

const { deletedMessages: countLimit } = requestLimits;

/** Deletes active messages enqueued before a given time. SDKs need the condition with a 204, or they report a failure. */
export async function batchDeleteMessages(request: ManagementRequest): Promise<ManagementReply> {
  const { body } = request;
  const count = await receiverOf(request).deleteBatch(Math.min(body.count("message-count"), countLimit), {
    enqueuedBefore: body.optionalDate("enqueued-time-utc"),
  });
  if (count === 0) return { statusCode: 204, errorCondition: "com.microsoft:message-not-found" };
  return { statusCode: 200, body: { "message-count": int(count) } };
}
