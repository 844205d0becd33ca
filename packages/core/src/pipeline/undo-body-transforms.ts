import { afterwards, isPromise } from "@waybill/foundation";
import { requireBound } from "../body-transforms/bound-properties.js";
import {
  type ClaimCheck,
  checkOut,
  claimCheckDetails,
  claimCheckProperty,
  malformedClaimCheck,
  readClaimCheck,
} from "../body-transforms/claim-check.js";
import {
  contentEncodingOf,
  decompress as decodeContent,
  parseContentEncoding,
} from "../body-transforms/compression.js";
import { decrypt, readEncryptionLabel } from "../body-transforms/encrypt.js";
import type { Awaitable } from "../contracts/serializer.js";
import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, ApplicationPropertyValue, EncodedMessage } from "../message/message.js";
import { encodedBody, isText } from "./body-sections.js";
import type { ResolvedPipelineOptions } from "./options.js";
import { type AppliedTransforms, noProperties, type Reading, type Waiting } from "./reading.js";

/**
 * The stage that fetches the body from a claim-check store and decrypts it, where the message says so. Fails for a body that is too large, or
 * that may not be read in its state.
 */
export function fetchAndDecrypt(reading: Reading): Waiting {
  const { options, applicationProperties, isEncrypted, section, isUnsealed } = reading;
  const bytes = encodedBody(reading);
  if (bytes !== undefined && bytes.length > options.maxBodyBytes) {
    throw decodeFailure("body-too-large", `The body is larger than ${options.maxBodyBytes} bytes.`);
  }
  reading.bytes = bytes;
  if (!isUnsealed) return undefined;
  if (!isEncrypted && options.isPlaintextRefused) {
    throw decodeFailure("plaintext-refused", "The body is not encrypted, and only encrypted ones are read.");
  }
  if (isEncrypted && section !== "data") throw notEncrypted();
  if (bytes === undefined) {
    if (isSet(applicationProperties[claimCheckProperty])) throw notStored();
    return undefined;
  }
  if (isEncrypted || isSet(applicationProperties[claimCheckProperty])) {
    return undoBodyTransforms(reading, bytes);
  }
  const lost = bytes.length === 0 ? lostTransform(applicationProperties) : undefined;
  if (lost !== undefined) throw lost;
  return undefined;
}

/** The stage that undoes the content encodings, unless the pipeline leaves them. */
export function decompress(reading: Reading): Waiting {
  if (reading.options.contentEncoding === "ignore") return undefined;
  const encoding = contentEncodingOf(reading.message);
  if (encoding === undefined || reading.bytes === undefined || reading.bytes.length === 0) return undefined;
  if (isText(reading)) return undefined;
  const codings = parseContentEncoding(encoding);
  reading.contentEncodings = codings;
  let plain: Awaitable<Uint8Array> = reading.bytes;
  for (const coding of codings) {
    plain = afterwards(plain, (bytes) => decodeContent(coding, bytes, reading.options.maxDecompressedBytes));
  }
  const finish = (bytes: Uint8Array): undefined => {
    reading.bytes = bytes;
  };
  return isPromise(plain) ? plain.then(finish) : finish(plain);
}

async function undoBodyTransforms(reading: Reading, wire: Uint8Array): Promise<undefined> {
  const { message, applicationProperties, isEncrypted, options, abortSignal } = reading;
  const transforms = { claimCheck: undefined, encryptionKeyId: undefined };
  reading.transforms = transforms;
  const claim = isSet(applicationProperties[claimCheckProperty])
    ? readClaimCheck(applicationProperties, wire, options.maxBodyBytes)
    : undefined;
  const body = claim === undefined ? wire : await fetchBody(claim, options, transforms, abortSignal);
  reading.bytes = isEncrypted ? await decryptBody(body, message, claim, options, transforms) : body;
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
  if (keyRing === undefined || encryption === undefined) {
    throw decodeFailure("encryption-unsupported", "The body is encrypted, and no keys are configured.");
  }
  requireBound(message, label, messageTypes?.resolver, encryption.boundProperties);
  return await decrypt(body, message, label, claim, keyRing);
}

/**
 * The failure of a message without bytes that still has some properties of a transformed body: it had a body, but lost the property that
 * names it. Undefined for a message without such properties.
 */
function lostTransform(properties: ApplicationProperties): Error | undefined {
  if (Object.values(claimCheckDetails).some((name) => isSet(properties[name]))) {
    return malformedClaimCheck("its key is missing");
  }
  return undefined;
}

/** The body is in the store, so that of the message would be another one. */
function notStored(): Error {
  return malformedClaimCheck("the message has an AMQP value besides");
}

/** Only bytes can be encrypted; otherwise plaintext with encryption properties would be accepted as encrypted. */
function notEncrypted(): Error {
  return decodeFailure("encryption-malformed", "The body is labelled as encrypted but is not bytes.");
}

/** Whether a property has a value. */
function isSet(value: ApplicationPropertyValue | undefined): boolean {
  return value !== undefined && value !== null;
}
