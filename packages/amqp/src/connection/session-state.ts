/** The state of a session (2.5.5); "discarding" was ended with an error and waits for the peer's end. */
export type SessionState = "unmapped" | "begin-sent" | "begin-received" | "mapped" | "discarding" | "ended";

export type SessionEvent = "begin-sent" | "begin-received" | "end-sent" | "end-received" | "disconnected";

/** The state after an event; `undefined` if the event is not permitted. */
export function nextSessionState(state: SessionState, event: SessionEvent): SessionState | undefined {
  if (event === "disconnected") return "ended";
  return transitions[state][event];
}

const transitions: Record<SessionState, Partial<Record<SessionEvent, SessionState>>> = {
  unmapped: { "begin-sent": "begin-sent", "begin-received": "begin-received" },
  "begin-sent": { "begin-received": "mapped", "end-sent": "discarding" },
  "begin-received": { "begin-sent": "mapped" },
  mapped: { "end-sent": "discarding", "end-received": "ended" },
  discarding: { "begin-received": "discarding", "end-received": "ended" },
  ended: {},
};
