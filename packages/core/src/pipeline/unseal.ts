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

/** What a body was sealed with, as far as reading it came: for the report. */
export interface Seals {
  claimCheck: string | undefined;
  encryptionKeyId: string | undefined;
  encryptionBinding: "full" | "partial" | undefined;
}

const noProperties: ApplicationProperties = Object.freeze({});

/** Whether a property is there that says how a body was sealed. */
export function isSet(value: ApplicationPropertyValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/**
 * The failure of a message without bytes that still carries what goes with a sealed body: it did have a body, and lost what names it.
 * Undefined for one that has no body.
 */
export function lostSeal(properties: ApplicationProperties): Error | undefined {
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

/** Fetches a body that lies elsewhere, then decrypts one that is encrypted. Rejects with a `WaybillError` that says why it cannot. */
export async function unseal(
  wire: Uint8Array,
  message: EncodedMessage,
  options: ResolvedPipelineOptions,
  seals: Seals,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const properties = message.applicationProperties ?? noProperties;
  const claim = isSet(properties[claimCheckProperty])
    ? readClaimCheck(properties, wire, options.maxBodyBytes)
    : undefined;
  const body = claim === undefined ? wire : await fetchBody(claim, options, seals, signal);
  return isSet(properties[encryptionProperty])
    ? await decryptBody(body, message, claim, options, seals)
    : body;
}

function fetchBody(
  claim: ClaimCheck,
  { claimCheck, attemptTimeoutInMs }: ResolvedPipelineOptions,
  seals: Seals,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  seals.claimCheck = claim.key;
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
  seals: Seals,
): Promise<Uint8Array> {
  const label = readEncryptionLabel(message.applicationProperties ?? noProperties);
  seals.encryptionKeyId = label.keyId;
  seals.encryptionBinding = label.bound === undefined ? "partial" : "full";
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
