import { type EncodedMessage, WaybillError } from "@waybill/core";
import type { Decoded } from "@waybill/core/pipeline";
import type { CallOptions, DeliveredMessage, EveryProperty } from "@waybill/core/transport";
import { compareValues, type DifferenceKind } from "../comparison/compare-values.js";
import { deadLetterPath } from "./dead-letter-queue.js";
import { type RepairCandidate, type RepairOptions, type RepairSkip, targetOf } from "./repair-options.js";
import { resubmissionOf, resubmitCountOf } from "./resubmission.js";
import { isSelected } from "./select-dead-letters.js";

/** Whether a transcoded body is encrypted and stored as a claim check: `"rehearse"` writes nothing anywhere. */
export type PlanPurpose = "rehearse" | "send";

/** The message that a repair sends for a dead letter, or why the dead letter stays. What can be read now is read back as it would be sent. */
export async function planResubmission(
  candidate: RepairCandidate,
  options: RepairOptions,
  purpose: PlanPurpose,
): Promise<EncodedMessage | RepairSkip> {
  const skip = skipOf(candidate, options);
  if (skip !== undefined) return skip;
  const { message: delivered, outcome } = candidate;
  const message = unchangedResubmission(delivered, options);
  if (outcome.status !== "decoded") return message;
  const isTranscoded = options.body === "transcode";
  const call = {
    abortSignal: options.abortSignal,
    bodyTransforms: !isTranscoded || purpose === "send",
  };
  const planned = isTranscoded ? await transcoded(message, outcome, options, call) : message;
  return typeof planned === "string"
    ? planned
    : ((await damageOf(planned, outcome, options, call)) ?? planned);
}

/** What is sent for a dead letter whose body stays as it is: with its address and its count, and a new id where the target detects duplicates. */
export function unchangedResubmission(
  delivered: DeliveredMessage,
  options: Pick<RepairOptions, "from" | "to" | "throughTopic" | "targetDetectsDuplicates">,
): EveryProperty<EncodedMessage> {
  const target = targetOf(options);
  return resubmissionOf(delivered, {
    subscription: target.subscription,
    messageId: options.targetDetectsDuplicates ? ownId(delivered, deadLetterPath(options.from)) : undefined,
  });
}

/** Why the message must not be sent, by what its readers would get. */
async function damageOf(
  planned: EncodedMessage,
  before: Decoded,
  { pipeline }: RepairOptions,
  call: CallOfPipeline,
): Promise<RepairSkip | undefined> {
  const after = await pipeline.deserialize(planned, call);
  if (after.status === "unavailable") return "unavailable";
  if (after.status === "undeserializable") return "would-be-unreadable";
  let isSame = after.report.messageType === before.report.messageType;
  compareValues(before.body, after.body, (_path, kind) => {
    if (!harmless.has(kind)) isSame = false;
  });
  return isSame ? undefined : "would-differ";
}

interface CallOfPipeline extends CallOptions {
  readonly bodyTransforms: boolean;
}

/** Formats without undefined leave the field out; maps without an order have one nevertheless. */
const harmless: ReadonlySet<DifferenceKind> = new Set(["undefined-null", "order"]);

/** Why a message is not sent, as far as the message itself shows. */
function skipOf(
  { message, outcome }: RepairCandidate,
  { select, includeUndeserializable, maxResubmits = 3 }: RepairOptions,
): RepairSkip | undefined {
  if (!isSelected(select, { message, outcome })) return "not-selected";
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
  { pipeline }: RepairOptions,
  call: CallOfPipeline,
): Promise<EncodedMessage | "not-writable"> {
  const {
    "Content-Encoding": _,
    "content-encoding": __,
    ...applicationProperties
  } = message.applicationProperties ?? {};
  try {
    return await pipeline.serialize(
      { ...message, body, contentType: undefined, contentEncoding: undefined, applicationProperties },
      // It is read back together with the messages that are sent as they are.
      { ...call, readBack: false },
    );
  } catch (error) {
    if (error instanceof WaybillError && error.code === "serialization-failed") return "not-writable";
    throw error;
  }
}
