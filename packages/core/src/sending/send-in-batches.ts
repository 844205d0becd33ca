import type { CallOptions, TransportMessageBatch, TransportSender } from "../contracts/transport.js";
import { hasCode, WaybillError } from "../errors/error.js";
import type { SendResult } from "../errors/send-result.js";
import type { EncodedMessage } from "../message/message.js";
import { sendError } from "./outgoing.js";

/**
 * Sends messages in as few batches as the broker's limit allows, one after the other, each all or none. Rejects with
 * `message-too-large` before anything is sent if a message fits no batch; like the transport if the first batch fails; with
 * `partially-sent`, and the result of each message, if a later one fails.
 */
export async function sendInBatches(
  sender: TransportSender,
  messages: readonly EncodedMessage[],
  options: CallOptions | undefined,
): Promise<void> {
  const batches = await planBatches(sender, messages, options);
  let sent = 0;
  for (const batch of batches) {
    try {
      await sender.sendBatch(batch, options);
    } catch (error) {
      throw sent === 0 ? error : partiallySent(error, sender.entityPath, messages, sent, batch.count);
    }
    sent += batch.count;
  }
}

/** Sends one message. Rejects like the transport, and names the message if it is too large. */
export async function sendOne(
  sender: TransportSender,
  message: EncodedMessage,
  options: CallOptions | undefined,
): Promise<void> {
  try {
    await sender.send([message], options);
  } catch (error) {
    if (!hasCode(error, "message-too-large")) throw error;
    const { messageId, body } = message;
    const size = body instanceof Uint8Array ? ` Its body has ${body.length} bytes.` : "";
    const details = { entityPath: sender.entityPath, messageId, cause: error };
    throw new WaybillError("message-too-large", `${error.text}${size}`, details);
  }
}

async function planBatches(
  sender: TransportSender,
  messages: readonly EncodedMessage[],
  options: CallOptions | undefined,
): Promise<TransportMessageBatch[]> {
  let batch = await sender.createBatch(options);
  const batches = [batch];
  for (const [index, message] of messages.entries()) {
    if (batch.tryAdd(message)) continue;
    if (batch.count > 0) {
      batch = await sender.createBatch(options);
      batches.push(batch);
      if (batch.tryAdd(message)) continue;
    }
    throw tooLarge(message, batch, { entityPath: sender.entityPath, index, count: messages.length });
  }
  return batches;
}

function tooLarge(
  message: EncodedMessage,
  { maxSizeInBytes }: TransportMessageBatch,
  place: Parameters<typeof sendError>[2],
): WaybillError {
  const size = message.body instanceof Uint8Array ? ` (its body has ${message.body.length})` : "";
  const text = `It does not fit into a batch of ${maxSizeInBytes} bytes${size}.`;
  return sendError(new WaybillError("message-too-large", text), message, place);
}

function partiallySent(
  error: unknown,
  entityPath: string,
  messages: readonly EncodedMessage[],
  sent: number,
  failed: number,
): WaybillError {
  const cause = WaybillError.from(error);
  const sendResults = messages.map(({ messageId }, index): SendResult => {
    if (index < sent) return { status: "sent", messageId };
    return index < sent + failed
      ? { status: "failed", messageId, error: cause }
      : { status: "unsent", messageId };
  });
  const unsent = messages.length - sent - failed;
  const text = `Of ${messages.length} messages ${sent} were sent, ${failed} failed and ${unsent} were not tried. ${cause.message}`;
  return new WaybillError("partially-sent", text, { entityPath, cause, sendResults });
}
