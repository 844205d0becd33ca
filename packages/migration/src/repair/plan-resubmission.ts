import { type EncodedMessage, WaybillError } from "@waybill/core";
import type { Decoded } from "@waybill/core/pipeline";
import type { DeliveredMessage } from "@waybill/core/transport";
import { deadLetterPath } from "./dead-letter-queue.js";
import { type RepairCandidate, type RepairOptions, type RepairSkip, targetOf } from "./repair-options.js";
import { resubmissionOf, resubmitCountOf } from "./resubmission.js";

/** What a repair sends for a message, or why the message stays. */
export async function planned(
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

/** Why a message is not to be sent, as far as one can tell by looking at it. */
function skipOf(
  { message, outcome }: RepairCandidate,
  { select, includeUndecodable, maxResubmits = 3 }: RepairOptions,
): RepairSkip | undefined {
  if (select !== undefined && !select({ message, outcome })) return "not-selected";
  if (outcome.status === "unavailable") return "unavailable";
  if (outcome.status === "undeserializable" && includeUndecodable !== true) return "undecodable";
  return resubmitCountOf(message) >= maxResubmits ? "resubmitted-too-often" : undefined;
}

/** The same whenever this message is tried, and another one after it came back, or when the queue was made again. */
function ownId(delivered: DeliveredMessage, from: string): string {
  const { sequenceNumber, enqueuedTimeUtc } = delivered;
  const own = `:${sequenceNumber}:${enqueuedTimeUtc?.getTime() ?? 0}:${resubmitCountOf(delivered) + 1}`;
  // An id has 128 characters at most.
  return `waybill-resubmit:${from.toLowerCase().slice(-(128 - 17 - own.length))}${own}`;
}

/** The message in the chain's main format and current version, or that it cannot be written so. */
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
