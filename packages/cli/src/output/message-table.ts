import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { messageView } from "./message-view.js";
import type { Terminal } from "./terminal.js";
import { toJson } from "./to-json.js";

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
    const { body, rawBody } = messageView(message, outcome, true) as { body?: unknown; rawBody?: unknown };
    terminal.line(
      `\n${terminal.colors.bold(String(message.sequenceNumber))} ${toJson(body ?? { rawBody }, 2)}`,
    );
  }
}

/** The serializer that read a body, or why none could. */
function readBy(outcome: DeserializationOutcome): string {
  if (outcome.status === "decoded") {
    return outcome.report.serializer ?? (outcome.report.isEmpty === true ? "(no body)" : "(AMQP value)");
  }
  return outcome.status === "undeserializable" ? `nobody: ${outcome.reason}` : "(unavailable)";
}

function idText(id: DeliveredMessage["messageId"]): string | undefined {
  if (id === undefined) return undefined;
  return id instanceof Uint8Array ? Buffer.from(id).toString("hex") : String(id);
}
