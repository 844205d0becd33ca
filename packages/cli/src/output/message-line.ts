import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { bodyText, idText, readBy } from "./message-texts.js";
import { printable } from "./printable.js";
import type { Terminal } from "./terminal.js";

/** A message in one line, for those that come one by one; with its body in the lines below, on request. */
export function messageLine(
  terminal: Terminal,
  message: DeliveredMessage,
  outcome: DeserializationOutcome,
  withBody: boolean,
): void {
  const { sequenceNumber, state, enqueuedTimeUtc, subject, contentType, messageId } = message;
  const cells = [
    enqueuedTimeUtc?.toISOString(),
    String(sequenceNumber),
    state === "active" ? undefined : state,
    subject ?? "-",
    contentType ?? "-",
    readBy(outcome),
    idText(messageId),
  ];
  terminal.line(printable(cells.filter((cell) => cell !== undefined).join("  ")));
  if (withBody) terminal.line(bodyText(message, outcome));
}
