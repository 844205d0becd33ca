import type { ResolvedClaimCheckOptions } from "../contracts/claim-check-store.js";
import { WaybillError } from "../errors/error.js";
import { decodeFailure } from "../errors/failure.js";
import type { EncodedMessage } from "../message/message.js";
import type { MessageTypeResolver } from "../message-types/message-type-resolver.js";
import { propertiesToBind, requireBound } from "./bound-properties.js";
import { type ClaimCheck, checkIn, checkOut, newClaimCheckKey, readClaimCheck } from "./claim-check.js";
import { decrypt, encrypt, encryptedLength, readEncryptionLabel } from "./encrypt.js";
import type { ResolvedEncryptionOptions } from "./encryption-options.js";
import { keyRingOf } from "./key-ring.js";

/** The options of a pipeline that encryption and claim checks use. */
export interface SealingOptions {
  readonly encryption: ResolvedEncryptionOptions | undefined;
  readonly claimCheck: ResolvedClaimCheckOptions | undefined;
  readonly messageTypes: { readonly resolver: MessageTypeResolver } | undefined;
  readonly maxBodyBytes: number;
  readonly attemptTimeoutInMs: number;
}

/** The transforms found so far while reading a body, for the report. */
export interface AppliedTransforms {
  claimCheck: string | undefined;
  encryptionKeyId: string | undefined;
}

/** A body as it was received, and how its message describes it. */
export interface SealedBody {
  readonly bytes: Uint8Array;
  readonly message: EncodedMessage;
  readonly isEncrypted: boolean;
  readonly isStored: boolean;
}

/**
 * Encrypts a body and keeps it in the claim-check store, each if configured. Rejects with `unavailable` when the keys or the store are
 * unavailable.
 */
export async function sealBody(
  message: EncodedMessage,
  options: SealingOptions,
  signal: AbortSignal | undefined,
): Promise<EncodedMessage> {
  const { claimCheck, attemptTimeoutInMs, maxBodyBytes } = options;
  const length = sealedLength(message, options);
  if (length > maxBodyBytes) {
    const text = `the encrypted body has ${length} bytes, more than the ${maxBodyBytes} that are allowed.`;
    throw new WaybillError("message-too-large", text);
  }
  const key = claimCheck !== undefined && length >= claimCheck.minBytes ? newClaimCheckKey() : undefined;
  const transformed = await encrypted(message, options, key);
  if (claimCheck === undefined || key === undefined) return transformed;
  return checkIn(transformed, key, { store: claimCheck.store, timeoutMs: attemptTimeoutInMs, signal });
}

/** Fetches a body from the claim-check store and decrypts it, each if the message says so. Rejects with the failure of the body. */
export async function unsealBody(
  { bytes, message, isEncrypted, isStored }: SealedBody,
  options: SealingOptions,
  transforms: AppliedTransforms,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const claim = isStored
    ? readClaimCheck(message.applicationProperties ?? {}, bytes, options.maxBodyBytes)
    : undefined;
  const body = claim === undefined ? bytes : await fetchBody(claim, options, transforms, signal);
  return isEncrypted ? decryptBody(body, message, claim, options, transforms) : body;
}

function sealedLength(message: EncodedMessage, { encryption }: SealingOptions): number {
  const { length } = message.body as Uint8Array;
  return encryption === undefined ? length : encryptedLength(length);
}

async function encrypted(
  message: EncodedMessage,
  { encryption, messageTypes, attemptTimeoutInMs }: SealingOptions,
  claimCheckKey: string | undefined,
): Promise<EncodedMessage> {
  if (encryption === undefined) return message;
  const names = propertiesToBind(message, messageTypes?.resolver, encryption.boundProperties);
  return encrypt(message, keyRingOf(encryption, attemptTimeoutInMs), { names, claimCheckKey });
}

function fetchBody(
  claim: ClaimCheck,
  { claimCheck, attemptTimeoutInMs }: SealingOptions,
  transforms: AppliedTransforms,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  transforms.claimCheck = claim.key;
  if (claimCheck === undefined) {
    throw decodeFailure(
      "claim-check-unsupported",
      "The body lies in a claim-check store, and none is configured.",
    );
  }
  return checkOut(claim, { store: claimCheck.store, timeoutMs: attemptTimeoutInMs, signal });
}

async function decryptBody(
  body: Uint8Array,
  message: EncodedMessage,
  claim: ClaimCheck | undefined,
  { encryption, messageTypes, attemptTimeoutInMs }: SealingOptions,
  transforms: AppliedTransforms,
): Promise<Uint8Array> {
  const label = readEncryptionLabel(message.applicationProperties ?? {});
  transforms.encryptionKeyId = label.keyId;
  if (encryption === undefined) {
    throw decodeFailure("encryption-unsupported", "The body is encrypted, and no keys are configured.");
  }
  requireBound(message, label, messageTypes?.resolver, encryption.boundProperties);
  return await decrypt(body, message, label, claim, keyRingOf(encryption, attemptTimeoutInMs));
}
