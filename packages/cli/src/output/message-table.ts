import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { bodyText, idText, readBy } from "./message-texts.js";
import type { Terminal } from "./terminal.js";

/** A table of messages, with their bodies on request. */
export function messageTable(
  terminal: Terminal,
  messages: readonly (readonly [DeliveredMessage, DeserializationOutcome])[],
  withBody: boolean,
): void {
  if (messages.length === 0) {
    terminal.line("no messages");
    return;
  }
  terminal.table(
    ["NUMBER", "STATE", "ENQUEUED", "DUE", "MESSAGE ID", "SUBJECT", "CONTENT TYPE", "READ BY", "BYTES"],
    messages.map(([message, outcome]) => [
      message.sequenceNumber,
      message.state,
      message.enqueuedTimeUtc,
      message.state === "scheduled" ? message.scheduledEnqueueTimeUtc : undefined,
      idText(message.messageId),
      message.subject,
      message.contentType,
      readBy(outcome),
      outcome.report.bytes,
    ]),
    ["MESSAGE ID"],
  );
  if (!withBody) return;
  for (const [message, outcome] of messages) {
    terminal.line(`\n${terminal.colors.bold(String(message.sequenceNumber))} ${bodyText(message, outcome)}`);
  }
}
