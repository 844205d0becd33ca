import type { ManagementReply, ManagementRequest } from "./request.js";

/** Sets the state of a session; null clears it. */
export async function setSessionState({ sessions, path, body }: ManagementRequest): Promise<ManagementReply> {
  await sessions.require(path, body.text("session-id")).setState(body.optionalBytes("session-state"));
  return { statusCode: 200 };
}
