import { afterwards, isPromise } from "@waybill/foundation";
import {
  contentEncodingOf,
  decompress as decodeContent,
  parseContentEncoding,
} from "../body-transforms/compression.js";
import { sealing } from "../body-transforms/sealing.js";
import {
  claimCheckDetails,
  claimCheckProperty,
  malformedClaimCheck,
} from "../body-transforms/sealing-properties.js";
import type { Awaitable } from "../contracts/serializer.js";
import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, ApplicationPropertyValue } from "../message/message.js";
import { encodedBody, isText } from "./body-sections.js";
import type { Reading, Waiting } from "./reading.js";

/**
 * The stage that fetches the body from a claim-check store and decrypts it, where the message says so. Fails for a body that is too large, or
 * that may not be read in its state.
 */
export function fetchAndDecrypt(reading: Reading): Waiting {
  const { options, applicationProperties, isEncrypted, call, report } = reading;
  const bytes = encodedBody(reading);
  if (bytes !== undefined && bytes.length > options.maxBodyBytes) {
    throw decodeFailure("body-too-large", `The body is larger than ${options.maxBodyBytes} bytes.`);
  }
  reading.bytes = bytes;
  if (call.bodyTransforms === false) return undefined;
  if (!isEncrypted && options.isPlaintextRefused) {
    throw decodeFailure("plaintext-refused", "The body is not encrypted, and only encrypted ones are read.");
  }
  if (isEncrypted && report.section !== "data") throw notEncrypted();
  const isStored = isSet(applicationProperties[claimCheckProperty]);
  if (bytes === undefined) {
    if (isStored) throw notStored();
    return undefined;
  }
  if (isEncrypted || isStored) return undoBodyTransforms(reading, bytes, isStored);
  if (bytes.length === 0) refuseLostTransform(applicationProperties);
  return undefined;
}

/** The stage that undoes the content encodings, unless the pipeline leaves them. */
export function decompress(reading: Reading): Waiting {
  const { options, message, bytes } = reading;
  if (options.contentEncoding === "ignore") return undefined;
  const encoding = contentEncodingOf(message);
  if (encoding === undefined || bytes === undefined || bytes.length === 0 || isText(reading))
    return undefined;
  return decompressAs(encoding, bytes, reading);
}

function decompressAs(encoding: ApplicationPropertyValue, bytes: Uint8Array, reading: Reading): Waiting {
  const codings = parseContentEncoding(encoding);
  reading.report.contentEncodings = codings;
  let plain: Awaitable<Uint8Array> = bytes;
  for (const coding of codings) {
    plain = afterwards(plain, (coded) => decodeContent(coding, coded, reading.options.maxDecompressedBytes));
  }
  const finish = (decoded: Uint8Array): undefined => {
    reading.bytes = decoded;
  };
  return isPromise(plain) ? plain.then(finish) : finish(plain);
}

async function undoBodyTransforms(
  reading: Reading,
  bytes: Uint8Array,
  isStored: boolean,
): Promise<undefined> {
  const { message, isEncrypted, options, report, call } = reading;
  const { unsealBody } = await sealing();
  const sealed = { bytes, message, isEncrypted, isStored };
  reading.bytes = await unsealBody(sealed, options, report, call.abortSignal);
}

/**
 * Throws the failure of a message without bytes that still has some properties of a transformed body: it had a body, but lost the property that
 * names it.
 */
function refuseLostTransform(properties: ApplicationProperties): void {
  if (Object.values(claimCheckDetails).some((name) => isSet(properties[name]))) {
    throw malformedClaimCheck("its key is missing");
  }
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
