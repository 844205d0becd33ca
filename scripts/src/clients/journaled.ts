import type {
  ServiceBusClientOptions,
  ServiceBusMessage,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusSender,
} from "@azure/service-bus";
import type { Journal } from "../ledger/journal.js";
import { ABSENT, type Delivery, SENT } from "../ledger/lines.js";

/** One try for each operation: a message that the SDK sent twice would be there twice. */
export function onceOnly(timeoutInMs = 5000): ServiceBusClientOptions {
  return { retryOptions: { maxRetries: 0, timeoutInMs } };
}

/** Sends messages of the official SDK in one batch and writes it down. Each goes to all these stores. */
export async function send(
  journal: Journal,
  sender: ServiceBusSender,
  stores: readonly string[],
  messages: readonly (ServiceBusMessage & { readonly messageId: string })[],
  verb = "send",
): Promise<void> {
  const effects = messages.flatMap(({ messageId }) =>
    stores.map((store) => [`${store}/${messageId}`, SENT] as const),
  );
  await journal.attempt(verb, effects, () => sender.sendMessages([...messages]));
}

/** Completes a message of the official SDK and writes it down. */
export async function complete(
  journal: Journal,
  receiver: ServiceBusReceiver,
  message: ServiceBusReceivedMessage,
  store: string,
  verb = "complete",
): Promise<void> {
  const effects = [[`${store}/${message.messageId}`, ABSENT]] as const;
  await journal.attempt(verb, effects, () => receiver.completeMessage(message));
}

/** Gives the lock of a message back and writes it down. */
export async function abandon(
  journal: Journal,
  receiver: ServiceBusReceiver,
  message: ServiceBusReceivedMessage,
  store: string,
): Promise<void> {
  journal.release(store, String(message.messageId));
  await journal.attempt("abandon", [], () => receiver.abandonMessage(message));
}

/** Writes down that a message came, with what is known of its lock. */
export function got(
  journal: Journal,
  { messageId, sequenceNumber }: ServiceBusReceivedMessage,
  store: string,
  lock: Omit<Delivery, "sequence"> = {},
): void {
  journal.got(store, String(messageId), { ...lock, sequence: String(sequenceNumber) });
}
