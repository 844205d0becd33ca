/**
 * The state of a connection (2.4.6). "start" expects a protocol header, "sasl" the SASL outcome, "sasl-done" the AMQP header after it;
 * "discarding" has closed with an error and ignores further input.
 */
export type ConnectionState =
  | "start"
  | "sasl"
  | "sasl-done"
  | "header-exchanged"
  | "open-sent"
  | "open-received"
  | "opened"
  | "close-sent"
  | "discarding"
  | "ended";

export type ConnectionEvent =
  | "sasl-header"
  | "sasl-outcome"
  | "amqp-header"
  | "open-sent"
  | "open-received"
  | "close-sent"
  | "close-received"
  | "failed"
  | "disconnected";

/** The state after an event; `undefined` if the event is not permitted. */
export function nextConnectionState(
  state: ConnectionState,
  event: ConnectionEvent,
): ConnectionState | undefined {
  if (event === "disconnected") return "ended";
  return transitions[state][event];
}

const transitions: Record<ConnectionState, Partial<Record<ConnectionEvent, ConnectionState>>> = {
  start: { "sasl-header": "sasl", "amqp-header": "header-exchanged", failed: "ended" },
  sasl: { "sasl-outcome": "sasl-done", failed: "ended" },
  "sasl-done": { "amqp-header": "header-exchanged", failed: "ended" },
  "header-exchanged": { "open-sent": "open-sent", "open-received": "open-received" },
  "open-sent": { "open-received": "opened", "close-sent": "close-sent", failed: "discarding" },
  "open-received": { "open-sent": "opened" },
  opened: { "close-sent": "close-sent", "close-received": "ended", failed: "discarding" },
  "close-sent": { "open-received": "close-sent", "close-received": "ended", failed: "discarding" },
  discarding: { "close-received": "ended" },
  ended: {},
};
