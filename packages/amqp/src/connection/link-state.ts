/**
 * The state of a link (2.6.3, 2.6.4): "attach-received" waits for the local answer; "detach-sent" discards input until the peer's detach.
 */
export type LinkState =
  | "unattached"
  | "attach-sent"
  | "attach-received"
  | "attached"
  | "detach-sent"
  | "detached";

export type LinkEvent =
  | "attach-sent"
  | "attach-received"
  | "detach-sent"
  | "detach-received"
  | "session-ended";

/** The state after an event; `undefined` if the event is not permitted. */
export function nextLinkState(state: LinkState, event: LinkEvent): LinkState | undefined {
  if (event === "session-ended") return "detached";
  return transitions[state][event];
}

const transitions: Record<LinkState, Partial<Record<LinkEvent, LinkState>>> = {
  unattached: { "attach-sent": "attach-sent", "attach-received": "attach-received" },
  "attach-sent": { "attach-received": "attached", "detach-sent": "detach-sent" },
  "attach-received": { "attach-sent": "attached" },
  attached: { "detach-sent": "detach-sent", "detach-received": "detached" },
  "detach-sent": { "attach-received": "detach-sent", "detach-received": "detached" },
  detached: {},
};
