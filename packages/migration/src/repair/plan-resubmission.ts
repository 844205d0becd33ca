import { type EncodedMessage, WaybillError } from "@waybill/core";
import type { Decoded } from "@waybill/core/pipeline";
import type { DeliveredMessage } from "@waybill/core/transport";
import { deadLetterPath } from "./dead-letter-queue.js";
import { type RepairCandidate, type RepairOptions, type RepairSkip, targetOf } from "./repair-options.js";
import { resubmissionOf, resubmitCountOf } from "./resubmission.js";

/** The message that a repair sends for a dead letter, or why the dead letter stays. */
export async function planResubmission(
  candidate: RepairCandidate,
  options: RepairOptions,
): Promise<EncodedMessage | RepairSkip> {
  const skip = skipOf(candidate, options);
  if (skip !== undefined) return skip;
  const { message: delivered, outcome } = candidate;
  const target = targetOf(options);
  const message = resubmissionOf(delivered, {
    subscription: "queue" in target ? undefined : target.subscription,
    messageId: options.targetDetectsDuplicates ? ownId(delivered, deadLetterPath(options.from)) : undefined,
  });
  return options.body === "transcode" && outcome.status === "decoded"
    ? await transcoded(message, outcome, options)
    : message;
}

/** Why a message is not sent, as far as the message itself shows. */
function skipOf(
  { message, outcome }: RepairCandidate,
  { select, includeUndeserializable, maxResubmits = 3 }: RepairOptions,
): RepairSkip | undefined {
  if (select !== undefined && !select({ message, outcome })) return "not-selected";
  if (outcome.status === "unavailable") return "unavailable";
  if (outcome.status === "undeserializable" && includeUndeserializable !== true) return "undeserializable";
  return resubmitCountOf(message) >= maxResubmits ? "resubmitted-too-often" : undefined;
}

/** The same on every attempt for this dead letter; different once it was dead-lettered again, or in a queue that was recreated. */
function ownId(delivered: DeliveredMessage, from: string): string {
  const { sequenceNumber, enqueuedTimeUtc } = delivered;
  const own = `:${sequenceNumber}:${enqueuedTimeUtc?.getTime() ?? 0}:${resubmitCountOf(delivered) + 1}`;
  // Service Bus allows message ids of 128 characters.
  return `waybill-resubmit:${from.toLowerCase().slice(-(128 - 17 - own.length))}${own}`;
}

/** The message in the chain's main format and current version; `"not-writable"` if it cannot be written in it. */
async function transcoded(
  message: EncodedMessage,
  { body }: Decoded,
  { pipeline, abortSignal }: RepairOptions,
): Promise<EncodedMessage | "not-writable"> {
  const {
    "Content-Encoding": _,
    "content-encoding": __,
    ...applicationProperties
  } = message.applicationProperties ?? {};
  try {
    return await pipeline.serialize(
      { ...message, body, contentType: undefined, applicationProperties },
      { abortSignal },
    );
  } catch (error) {
    if (error instanceof WaybillError && error.code === "serialization-failed") return "not-writable";
    throw error;
  }
}
