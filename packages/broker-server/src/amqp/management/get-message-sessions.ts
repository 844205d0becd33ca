import { array, int } from "@waybill/amqp";
import { REQUEST_LIMITS } from "../../limits/request-limits.js";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Times from here on mean .NET's maximum date, which requests the sessions that have messages. */
const FAR_FUTURE_MS = Date.UTC(9999, 0, 1);
const TOP = 100;
const { listedSessions: TOP_LIMIT } = REQUEST_LIMITS;

/** Lists the ids of sessions: those whose state was set since a given time, or those with messages; 204 if there are none. */
export async function getMessageSessions({
  broker,
  path,
  body,
}: ManagementRequest): Promise<ManagementReply> {
  const skip = body.optionalCount("skip") ?? 0;
  const top = Math.min(body.optionalCount("top") ?? TOP, TOP_LIMIT);
  const updated = body.optionalDate("last-updated-time");
  const asksForMessages = updated === undefined || updated.getTime() >= FAR_FUTURE_MS;
  const ids = await broker.receiver(path).listSessions({
    skip,
    top,
    updatedAfter: asksForMessages ? undefined : updated,
  });
  if (ids.length === 0) return { statusCode: 204 };
  return { statusCode: 200, body: { skip: int(skip + ids.length), "sessions-ids": array("string", ids) } };
}
