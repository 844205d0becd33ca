import { claimCheckProperty } from "../body-transforms/claim-check.js";
import { contentEncodingOf } from "../body-transforms/compression.js";
import type { SettlementVerb } from "../contracts/settlement.js";
import type { DeliveredMessage, SettleOptions, TransportReceiver } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import { harmlessItems } from "../pipeline/limits.js";

/** Stands on a large message that was given back on purpose: the delivery count with which it comes again. */
const givenBackProperty = "waybill-given-back";

/** So many large messages that were read are remembered; the oldest is forgotten. */
const mostRemembered = 1_000;

const readHere = new Set<string>();

/**
 * Whether a message may have ended the process that read it: it was delivered before, and neither was it given back nor has this process
 * read it.
 */
export function mayHaveEndedProcess(message: DeliveredMessage, entityPath: string): boolean {
  const { deliveryCount, applicationProperties } = message;
  if (deliveryCount === 0 || message.settlement === undefined) return false;
  const givenBack = applicationProperties?.[givenBackProperty];
  // Receiving a deferred message may count as a delivery, or not.
  if (givenBack === deliveryCount || givenBack === deliveryCount + 1) return false;
  return !readHere.has(keyOf(message, entityPath));
}

/** Remembers a large message that was read: if it comes again, for the lock was lost, the process has not ended. */
export function rememberRead(message: DeliveredMessage, entityPath: string): void {
  if (message.settlement === undefined || !isLarge(message)) return;
  readHere.add(keyOf(message, entityPath));
  if (readHere.size > mostRemembered) for (const oldest of readHere) return void readHere.delete(oldest);
}

/** Gives a message back or sets it aside; a large one is marked, so that its next reader knows that it ended no process. */
export async function giveBack(
  receiver: TransportReceiver,
  verb: Extract<SettlementVerb, "abandon" | "defer">,
  handle: object,
  message: DeliveredMessage,
  options: SettleOptions | undefined,
): Promise<void> {
  if (!isLarge(message)) return receiver[verb](handle, options);
  const mark = { [givenBackProperty]: message.deliveryCount + 1 };
  const propertiesToModify = { ...options?.propertiesToModify, ...mark };
  try {
    await receiver[verb](handle, { ...options, propertiesToModify });
  } catch (error) {
    // A message whose properties have no room for the mark is given back without it.
    if (!(error instanceof WaybillError) || error.retryable || error.code.endsWith("-lock-lost")) throw error;
    await receiver[verb](handle, options);
  }
}

/** Whether a body may hold more than is harmless, as far as that can be known without reading it. */
function isLarge({ body, applicationProperties }: DeliveredMessage): boolean {
  if (!(body instanceof Uint8Array)) return false;
  if (body.length > harmlessItems || applicationProperties === undefined) return body.length > harmlessItems;
  const claimCheck = applicationProperties[claimCheckProperty];
  return contentEncodingOf(applicationProperties) !== undefined || (claimCheck ?? undefined) !== undefined;
}

/** Sequence numbers alone would be those of other namespaces, too. */
function keyOf({ sequenceNumber, enqueuedTimeUtc, messageId }: DeliveredMessage, entityPath: string): string {
  return [entityPath, sequenceNumber, enqueuedTimeUtc?.getTime(), messageId].join("\n");
}
