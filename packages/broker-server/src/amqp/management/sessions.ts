import { array, int, timestamp } from "@waybill/amqp";
import type { BrokerSessionReceiver } from "@waybill/broker";
import { requestLimits } from "../../limits/request-limits.js";
import type { ManagementReply, ManagementRequest } from "./request.js";

/** Times from here on mean .NET's maximum date, which requests the sessions that have messages. */
const farFutureMs = Date.UTC(9999, 0, 1);
const defaultTop = 100;
const { listedSessions: topLimit } = requestLimits;

/** Lists the ids of sessions: those whose state was set since a given time, or those with messages; 204 if there are none. */
export async function getMessageSessions(request: ManagementRequest): Promise<ManagementReply> {
  const { broker, path, body } = request;
  const skip = body.optionalCount("skip") ?? 0;
  const top = Math.min(body.optionalCount("top") ?? defaultTop, topLimit);
  const updated = body.optionalDate("last-updated-time");
  const asksForMessages = updated === undefined || updated.getTime() >= farFutureMs;
  const updatedAfter = asksForMessages ? undefined : updated;
  const ids = await broker.receiver(path).listSessions({ skip, top, updatedAfter });
  if (ids.length === 0) return { statusCode: 204 };
  return { statusCode: 200, body: { skip: int(skip + ids.length), "sessions-ids": array("string", ids) } };
}

/** Returns the state of a session, null if it has none. */
export async function getSessionState(request: ManagementRequest): Promise<ManagementReply> {
  const state = await sessionOf(request).getState();
  return { statusCode: 200, body: { "session-state": state ?? null } };
}

/** Sets the state of a session; null clears it. */
export async function setSessionState(request: ManagementRequest): Promise<ManagementReply> {
  await sessionOf(request).setState(request.body.optionalBytes("session-state"));
  return { statusCode: 200 };
}

/** Renews the lock of a session and returns its new end. */
export async function renewSessionLock(request: ManagementRequest): Promise<ManagementReply> {
  const expiration = await sessionOf(request).renewSessionLock();
  return { statusCode: 200, body: { expiration: timestamp(expiration) } };
}

/** The receiver of the session that the request names. Throws `session-lock-lost` unless this client holds it. */
function sessionOf({ sessions, path, body }: ManagementRequest): BrokerSessionReceiver {
  return sessions.require(path, body.text("session-id"));
}
