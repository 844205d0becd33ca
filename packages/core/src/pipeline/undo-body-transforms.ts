import { requireBound } from "../body-transforms/bound-properties.js";
import {
  type ClaimCheck,
  checkOut,
  claimCheckDetails,
  claimCheckProperty,
  readClaimCheck,
} from "../body-transforms/claim-check.js";
import {
  decrypt,
  encryptionDetails,
  encryptionProperty,
  readEncryptionLabel,
} from "../body-transforms/encrypt.js";
import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, ApplicationPropertyValue, EncodedMessage } from "../message/message.js";
import type { ResolvedPipelineOptions } from "./options.js";
import { noProperties } from "./reading.js";

/** The transforms found so far while reading a body, for the report. */
export interface AppliedTransforms {
  claimCheck: string | undefined;
  encryptionKeyId: string | undefined;
  encryptionBinding: "full" | "partial" | undefined;
}

/** Whether a property has a value. */
export function isSet(value: ApplicationPropertyValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/**
 * The failure of a message without bytes that still has some properties of a transformed body: it had a body, but lost the property that
 * names it. Undefined for a message without such properties.
 */
export function lostTransform(properties: ApplicationProperties): Error | undefined {
  if (Object.values(claimCheckDetails).some((name) => isSet(properties[name]))) {
    return decodeFailure("claim-check-malformed", "The claim check cannot be followed: its key is missing.");
  }
  if (Object.values(encryptionDetails).some((name) => isSet(properties[name]))) {
    return decodeFailure(
      "encryption-malformed",
      "The body is missing, and so is the name of its encryption.",
    );
  }
  return undefined;
}

/** Fetches the body of a claim check, then decrypts an encrypted body. Rejects with a `WaybillError` that has the reason. */
export async function undoBodyTransforms(
  wire: Uint8Array,
  message: EncodedMessage,
  options: ResolvedPipelineOptions,
  transforms: AppliedTransforms,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const properties = message.applicationProperties ?? noProperties;
  const claim = isSet(properties[claimCheckProperty])
    ? readClaimCheck(properties, wire, options.maxBodyBytes)
    : undefined;
  const body = claim === undefined ? wire : await fetchBody(claim, options, transforms, signal);
  return isSet(properties[encryptionProperty])
    ? await decryptBody(body, message, claim, options, transforms)
    : body;
}

function fetchBody(
  claim: ClaimCheck,
  { claimCheck, attemptTimeoutInMs }: ResolvedPipelineOptions,
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
  { keyRing, encryption, messageTypes }: ResolvedPipelineOptions,
  transforms: AppliedTransforms,
): Promise<Uint8Array> {
  const label = readEncryptionLabel(message.applicationProperties ?? noProperties);
  transforms.encryptionKeyId = label.keyId;
  transforms.encryptionBinding = label.bound === undefined ? "partial" : "full";
  if (keyRing === undefined || encryption === undefined) {
    throw decodeFailure("encryption-unsupported", "The body is encrypted, and no keys are configured.");
  }
  if (label.bound === undefined && !encryption.allowPartialBinding) {
    throw decodeFailure(
      "encryption-unsupported",
      "The body is not bound to its message version, as those of earlier releases, and encryption.allowPartialBinding is false.",
    );
  }
  requireBound(message, label, messageTypes?.resolver, encryption.boundProperties);
  return await decrypt(body, message, label, claim, keyRing);
}
