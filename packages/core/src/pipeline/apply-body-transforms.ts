import { propertiesToBind, sealingProperties } from "../body-transforms/bound-properties.js";
import { checkIn, claimCheckProperty, newClaimCheckKey } from "../body-transforms/claim-check.js";
import { encrypt, encryptedLength, isLabelledEncrypted } from "../body-transforms/encrypt.js";
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
  const { keyRing, claimCheck } = options;
  const signal = call?.abortSignal;
  if (keyRing !== undefined) return applyAsync(message, options, signal);
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
  const { claimCheck, attemptTimeoutInMs, maxBodyBytes } = options;
  try {
    const length = sealedLength(message, options);
    if (length > maxBodyBytes) {
      const text = `the encrypted body has ${length} bytes, more than the ${maxBodyBytes} that are allowed.`;
      throw new WaybillError("message-too-large", text);
    }
    const key = claimCheck !== undefined && length >= claimCheck.minBytes ? newClaimCheckKey() : undefined;
    const transformed = await encrypted(message, options, key);
    if (claimCheck === undefined || key === undefined) return transformed;
    return await checkIn(transformed, key, {
      store: claimCheck.store,
      timeoutMs: attemptTimeoutInMs,
      signal,
    });
  } catch (error) {
    const { code, text, stage } = WaybillError.from(error, "serialization-failed");
    throw new WaybillError(code, text, { messageId: message.messageId, stage });
  }
}

function sealedLength(message: EncodedMessage, { keyRing }: ResolvedPipelineOptions): number {
  const { length } = message.body as Uint8Array;
  return keyRing === undefined ? length : encryptedLength(length);
}

async function encrypted(
  message: EncodedMessage,
  { keyRing, encryption, messageTypes }: ResolvedPipelineOptions,
  claimCheckKey: string | undefined,
): Promise<EncodedMessage> {
  if (keyRing === undefined) return message;
  const names = propertiesToBind(message, messageTypes?.resolver, encryption?.boundProperties ?? []);
  return await encrypt(message, keyRing, { names, claimCheckKey });
}
