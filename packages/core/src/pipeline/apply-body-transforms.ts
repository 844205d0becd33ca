import { sealing } from "../body-transforms/sealing.js";
import {
  claimCheckProperty,
  isLabelledEncrypted,
  sealingProperties,
} from "../body-transforms/sealing-properties.js";
import type { Awaitable } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import type { SerializeCallOptions } from "./call-options.js";
import type { ResolvedPipelineOptions } from "./options.js";

/**
 * The last steps of writing a body: encryption, then the claim check, each if configured. Rejects with `unavailable` when the keys or the
 * store are unavailable.
 */
export function applyBodyTransforms(
  message: EncodedMessage,
  options: ResolvedPipelineOptions,
  call: SerializeCallOptions | undefined,
): Awaitable<EncodedMessage> {
  call?.onBeforeTransforms?.(message);
  if (call?.bodyTransforms === false) return message;
  const { encryption, claimCheck } = options;
  const signal = call?.abortSignal;
  if (encryption !== undefined) return applyAsync(message, options, signal);
  const { length } = message.body as Uint8Array;
  const isSmall = claimCheck === undefined || length === 0 || length < claimCheck.minBytes;
  return isSmall ? message : applyAsync(message, options, signal);
}

/** Removes the properties that describe the transforms of another body, because they may come from a message that is forwarded. */
export function propertiesWithoutTransforms(
  properties: ApplicationProperties | undefined,
): ApplicationProperties | undefined {
  if (properties === undefined) return undefined;
  if (properties[claimCheckProperty] === undefined && !isLabelledEncrypted(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !sealingProperties.has(name)));
}

async function applyAsync(
  message: EncodedMessage,
  options: ResolvedPipelineOptions,
  signal: AbortSignal | undefined,
): Promise<EncodedMessage> {
  try {
    const { sealBody } = await sealing();
    return await sealBody(message, options, signal);
  } catch (error) {
    const { code, text, stage } = WaybillError.from(error, "serialization-failed");
    throw new WaybillError(code, text, { messageId: message.messageId, stage });
  }
}
