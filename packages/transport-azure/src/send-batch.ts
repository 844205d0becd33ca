import { type EncodedMessage, WaybillError } from "@waybill/core";
import { encodeBatch } from "./encode-batch.js";
import type { ServiceBusCallOptions, ServiceBusSenderLike } from "./service-bus-client.js";
import { toServiceBusMessage } from "./to-service-bus-message.js";

/** What is used of a batch of the SDK. It asks the batch for its bytes when it sends it, which is not part of its types. */
interface Batch {
  readonly maxSizeInBytes: number;
  readonly _generateMessage?: () => Uint8Array;
}

/**
 * Sends several messages as one batch, all or none. Usual ones are encoded here, because the SDK spends more time on that than on all the
 * rest; the SDK encodes what is not usual, and all if its batches are made otherwise one day.
 */
export async function sendBatch(
  sender: ServiceBusSenderLike,
  messages: readonly EncodedMessage[],
  options: ServiceBusCallOptions,
): Promise<void> {
  const encoded = encodeBatch(messages);
  if (encoded === undefined) return sendByElements(sender, messages, options);
  const batch = (await sender.createMessageBatch(options)) as Batch;
  if (typeof batch._generateMessage !== "function") {
    return sendByElements(sender, messages, options);
  }
  if (encoded.length > batch.maxSizeInBytes) {
    const text = `The ${messages.length} messages take ${encoded.length} bytes together; ${batch.maxSizeInBytes} are allowed.`;
    throw new WaybillError("message-too-large", text);
  }
  const written = Object.create(batch, { _generateMessage: { value: () => encoded } });
  await sender.sendMessages(written, options);
}

function sendByElements(
  sender: ServiceBusSenderLike,
  messages: readonly EncodedMessage[],
  options: ServiceBusCallOptions,
): Promise<void> {
  return sender.sendMessages(
    messages.map((message) => toServiceBusMessage(message)),
    options,
  );
}
