import { contentEncodingOf } from "../../body-transforms/compression.js";
import { claimCheckProperty } from "../../body-transforms/sealing-properties.js";
import type { SettlementVerb } from "../../contracts/settlement.js";
import type {
  DeliveredMessage,
  TransportReceiver,
  TransportSettleOptions,
} from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import { harmlessItems } from "../../pipeline/limits.js";

/** The property of a large message that was abandoned or deferred on purpose: its delivery count when it is delivered next. */
const givenBackProperty = "waybill-given-back";

/** How many large messages that were read are remembered; then the oldest is forgotten. */
const maxRemembered = 1_000;

const readHere = new Set<string>();

/**
 * Whether a message may have crashed the process that read it before: it was delivered before, but not given back, and not read by this
 * process.
 */
export function mayHaveCrashedProcess(message: DeliveredMessage, entityPath: string): boolean {
  const { deliveryCount, applicationProperties } = message;
  // A message that is deleted on receipt is never delivered twice.
  if (deliveryCount === 0 || message.settlement === undefined) return false;
  const givenBack = applicationProperties?.[givenBackProperty];
  // Brokers differ in whether receiving a deferred message counts as a delivery.
  if (givenBack === deliveryCount || givenBack === deliveryCount + 1) return false;
  // Read here before: its lock was lost afterwards.
  return !readHere.has(keyOf(message, entityPath));
}

/** Remembers a large message that was read: if it is delivered again because its lock was lost, it has not crashed this process. */
export function rememberRead(message: DeliveredMessage, entityPath: string): void {
  if (message.settlement === undefined || !isLarge(message)) return;
  readHere.add(keyOf(message, entityPath));
  // A set keeps the order of insertion, so its first value is the oldest.
  if (readHere.size > maxRemembered) for (const oldest of readHere) return void readHere.delete(oldest);
}

/** Abandons or defers a message; a large one is marked, so that its next reader knows that it crashed no process. */
export async function settleMarked(
  receiver: TransportReceiver,
  verb: Extract<SettlementVerb, "abandon" | "defer">,
  handle: object,
  message: DeliveredMessage,
  options: TransportSettleOptions | undefined,
): Promise<void> {
  if (!isLarge(message)) return receiver[verb](handle, options);
  const mark = { [givenBackProperty]: message.deliveryCount + 1 };
  const propertiesToModify = { ...options?.propertiesToModify, ...mark };
  try {
    await receiver[verb](handle, { ...options, propertiesToModify });
  } catch (error) {
    // If there is no room for the mark among the properties, retry without it.
    if (!(error instanceof WaybillError) || error.retryable || error.code.endsWith("-lock-lost")) throw error;
    await receiver[verb](handle, options);
  }
}

/** Whether reading a body may take much memory, as far as can be known without reading it. */
function isLarge(message: DeliveredMessage): boolean {
  const { body, applicationProperties } = message;
  if (!(body instanceof Uint8Array)) return false;
  if (body.length > harmlessItems || contentEncodingOf(message) !== undefined) return true;
  const claimCheck = applicationProperties?.[claimCheckProperty];
  return (claimCheck ?? undefined) !== undefined;
}

/** Sequence numbers alone are not unique across namespaces. */
function keyOf({ sequenceNumber, enqueuedTimeUtc, messageId }: DeliveredMessage, entityPath: string): string {
  return [entityPath, sequenceNumber, enqueuedTimeUtc?.getTime(), messageId].join("\n");
}
