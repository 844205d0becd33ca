import { afterwards, quoted } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import { decisiveAttempt } from "../message/decisive-attempt.js";
import type { EncodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { KnownVersion } from "../message-types/message-type-registry.js";
import type { ReadBackSample } from "../read-back/read-back-sampling.js";
import type { SerializeCallOptions } from "./call-options.js";
import type { Chain } from "./chain.js";
import type { ResolvedPipelineOptions } from "./options.js";
import { read } from "./read.js";
import { newReading } from "./reading.js";

/** How long a body of the sample waits for what reading it needs, such as a schema registry; then it is sent unread. In milliseconds. */
const maxSampledWaitMs = 5_000;

/** What was written, and by which serializer. */
interface Written {
  /** The message before its body is encrypted or stored as a claim check. */
  readonly message: EncodedMessage;
  /** The version that was written; undefined for an untyped message. */
  readonly known: KnownVersion | undefined;
  /** The serializer's name. */
  readonly format: string;
  /** The sample of bodies like it. */
  readonly sample: ReadBackSample;
}

/**
 * Reads a written body as a reader with this pipeline gets it. Throws or rejects with `serialization-failed` if it cannot be read, or not as
 * what was written; with `unavailable` if the call asks for the check and something needed to read is unavailable.
 */
export function readBack(
  written: Written,
  chain: Chain,
  options: ResolvedPipelineOptions,
  call: SerializeCallOptions | undefined,
): Awaitable<void> {
  const { message, known, sample } = written;
  const isRequired = call?.readBack === true;
  const reading = readingOptions(options, known, isRequired);
  const readCall = { bodyTransforms: false, abortSignal: call?.abortSignal };
  const outcome = read(newReading(chain, reading, message, readCall));
  return afterwards(outcome, (result) => {
    const fault = faultOf(result, written, isRequired);
    if (fault !== undefined) throw fault;
    if (result.status === "decoded") sample.succeeded();
    else sample.postpone();
  });
}

function readingOptions(
  options: ResolvedPipelineOptions,
  known: KnownVersion | undefined,
  isRequired: boolean,
): ResolvedPipelineOptions {
  return {
    ...options,
    // The policies for messages without a type are about what arrives here, not about what other readers take.
    messageTypes: known === undefined ? undefined : options.messageTypes,
    attemptTimeoutInMs: isRequired
      ? options.attemptTimeoutInMs
      : Math.min(options.attemptTimeoutInMs, maxSampledWaitMs),
  };
}

function faultOf(
  outcome: DeserializationOutcome,
  { message: { messageId }, known, format }: Written,
  isRequired: boolean,
): WaybillError | undefined {
  const what =
    known === undefined ? "The body" : `${quoted(known.type.name)} version ${known.version.version}`;
  switch (outcome.status) {
    case "unavailable": {
      const { text, stage } = outcome.error;
      return isRequired ? new WaybillError("unavailable", text, { messageId, format, stage }) : undefined;
    }
    case "undeserializable": {
      const { stage, detail = outcome.description } = decisiveAttempt(outcome.report) ?? {};
      const text = `${what} was written, but a reader could not read it: ${detail}`;
      return new WaybillError("serialization-failed", text, { messageId, format, stage });
    }
    default: {
      const { messageType, messageVersion } = outcome.report;
      const isSame = messageType === known?.type.name && messageVersion === known?.version.version;
      if (isSame) return undefined;
      const as = messageType === undefined ? "untyped" : `${quoted(messageType)} version ${messageVersion}`;
      const text = `${what} was written, but a reader would read it as ${as}.`;
      return new WaybillError("serialization-failed", text, { messageId, format, stage: "select" });
    }
  }
}
