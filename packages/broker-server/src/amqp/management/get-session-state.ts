import type { ManagementReply, ManagementRequest } from "./request.js";

/** Returns the state of a session, null if it has none. */
export async function getSessionState({ sessions, path, body }: ManagementRequest): Promise<ManagementReply> {
  const state = await sessions.require(path, body.text("session-id")).getState();
  return { statusCode: 200, body: { "session-state": state ?? null } };
}
