import type { Pipeline } from "@waybill/core";
import { acceptedBy } from "../../golden/accepted-by.js";
import type { GoldenMessage } from "../../golden/golden-message.js";
import { toPortableValue } from "../../golden/portable-value.js";
import type { ContractFinding } from "../check/check-contract.js";

/**
 * The message that a reader did not read, as a golden message, so that a test fails until the chain reads it as it was written. Undefined for a finding
 * without one.
 */
export async function goldenCounterexample(
  { messageType, version, serializer, direction, trial }: ContractFinding,
  pipeline: Pipeline,
): Promise<GoldenMessage | undefined> {
  const { message, value } = trial.counterexample ?? {};
  if (message === undefined || !(message.body instanceof Uint8Array)) return undefined;
  const { body, contentType, subject, applicationProperties } = message;
  const parts = { body, contentType, subject, applicationProperties };
  const type = pipeline.messageTypes.find(({ name }) => name === messageType);
  return {
    name: `${messageType.replace(/[^\w-]+/g, "_").slice(0, 64)}.v${version}.${serializer}.${direction}`,
    message: parts,
    isRedacted: false,
    expected: {
      serializer,
      messageType,
      messageVersion: version,
      valueVersion: version,
      value: toPortableValue(value),
      acceptedBy: await acceptedBy(pipeline, parts, type),
    },
  };
}
