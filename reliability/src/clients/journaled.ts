import type {
  ServiceBusClientOptions,
  ServiceBusMessage,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusSender,
} from "@azure/service-bus";
import type { Journal } from "../ledger/journal.js";
import { absent, type Delivery, sentState } from "../ledger/lines.js";

/** No retries: a message that the SDK sent twice would exist twice. */
export function onceOnly(timeoutInMs = 5000): ServiceBusClientOptions {
  return { retryOptions: { maxRetries: 0, timeoutInMs } };
}

/** Sends messages with the official SDK in one batch and records it in the journal. Each message goes to all these stores. */
export async function send(
  journal: Journal,
  sender: ServiceBusSender,
  stores: readonly string[],
  messages: readonly (ServiceBusMessage & { readonly messageId: string })[],
  verb = "send",
): Promise<void> {
  const effects = messages.flatMap(({ messageId }) =>
    stores.map((store) => [`${store}/${messageId}`, sentState] as const),
  );
  await journal.attempt(verb, effects, () => sender.sendMessages([...messages]));
}

/** Completes a message with the official SDK and records it in the journal. */
export async function complete(
  journal: Journal,
  receiver: ServiceBusReceiver,
  message: ServiceBusReceivedMessage,
  store: string,
  verb = "complete",
): Promise<void> {
  const effects = [[`${store}/${message.messageId}`, absent]] as const;
  await journal.attempt(verb, effects, () => receiver.completeMessage(message));
}

/** Abandons a message and records it in the journal. */
export async function abandon(
  journal: Journal,
  receiver: ServiceBusReceiver,
  message: ServiceBusReceivedMessage,
  store: string,
): Promise<void> {
  journal.release(store, String(message.messageId));
  await journal.attempt("abandon", [], () => receiver.abandonMessage(message));
}

/** Records the delivery of a message, with what is known of its lock. */
export function got(
  journal: Journal,
  { messageId, sequenceNumber }: ServiceBusReceivedMessage,
  store: string,
  lock: Omit<Delivery, "sequence"> = {},
): void {
  journal.got(store, String(messageId), { ...lock, sequence: String(sequenceNumber) });
}
