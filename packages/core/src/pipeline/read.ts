import { claimCheckProperty } from "../body-transforms/claim-check.js";
import { contentEncodingOf, decompress, parseContentEncoding } from "../body-transforms/compression.js";
import { encryptionProperty } from "../body-transforms/encrypt.js";
import type { Awaitable } from "../contracts/serializer.js";
import { decodeFailure } from "../errors/failure.js";
import { afterwards, isPromise } from "../foundation/is-promise.js";
import type { EncodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import { plainAmqpValue } from "./amqp-value.js";
import type { Chain } from "./chain.js";
import { choose } from "./choose.js";
import { received } from "./conclude.js";
import type { ResolvedPipelineOptions } from "./options.js";
import type { DeserializeCallOptions } from "./pipeline.js";
import { noProperties, Reading } from "./reading.js";
import { isSet, lostTransform, undoBodyTransforms } from "./undo-body-transforms.js";

const encoder = new TextEncoder();

/**
 * Reads an encoded body stage by stage: fetch, decrypt and decompress here, then `choose` a serializer and try it, then `conclude`. Returns a
 * promise only if a plug-in does. Never throws or rejects because of the body.
 */
export function read(
  chain: Chain,
  options: ResolvedPipelineOptions,
  message: EncodedMessage,
  call: DeserializeCallOptions | undefined,
): Awaitable<DeserializationOutcome> {
  const reading = new Reading(chain, options, message, call);
  const { messageTypes } = options;
  if (messageTypes !== undefined) {
    try {
      reading.known = messageTypes.identify(message, reading.readAs?.version);
    } catch (error) {
      return reading.refusedFor(undefined, error);
    }
  }
  return readSection(reading);
}

function readSection(reading: Reading): Awaitable<DeserializationOutcome> {
  const { options, message, bodyTransforms } = reading;
  const { body, applicationProperties = noProperties } = message;
  const isEncrypted = bodyTransforms && isSet(applicationProperties[encryptionProperty]);
  if (options.isPlaintextRefused && bodyTransforms && !isEncrypted) {
    const text = "The body is not encrypted, and only encrypted ones are read.";
    return reading.refusedFor(undefined, decodeFailure("plaintext-refused", text));
  }
  if (!(body instanceof Uint8Array)) {
    return isEncrypted ? reading.refusedFor(undefined, notEncrypted()) : readValue(reading, body.value);
  }
  if (body.length > options.maxBodyBytes) {
    reading.note(undefined, "body-too-large", `The body is larger than ${options.maxBodyBytes} bytes.`);
    return reading.refused();
  }
  const isElsewhere = bodyTransforms && isSet(applicationProperties[claimCheckProperty]);
  if (isEncrypted || isElsewhere) return undoTransforms(reading, body);
  const lost = body.length === 0 && bodyTransforms ? lostTransform(applicationProperties) : undefined;
  return lost === undefined ? unpack(reading, body) : reading.refusedFor(undefined, lost);
}

/** Fetches the body of a claim check, and decrypts an encrypted body. */
async function undoTransforms(reading: Reading, body: Uint8Array): Promise<DeserializationOutcome> {
  const { message, options, abortSignal: signal } = reading;
  const transforms = { claimCheck: undefined, encryptionKeyId: undefined, encryptionBinding: undefined };
  reading.transforms = transforms;
  let plain: Uint8Array;
  try {
    plain = await undoBodyTransforms(body, message, options, transforms, signal);
  } catch (error) {
    return reading.refusedFor(undefined, error);
  }
  return unpack(reading, plain);
}

/**
 * Reads an AMQP value or sequence section. A string or bytes whose content type names a serializer are read by it, because JMS and Qpid send
 * text bodies in value sections.
 */
function readValue(reading: Reading, value: unknown): Awaitable<DeserializationOutcome> {
  const isNamed = reading.selection.kind === "declared" || reading.readAs?.serializer !== undefined;
  if (isNamed && typeof value === "string") return choose(reading, encoder.encode(value));
  if (isNamed && value instanceof Uint8Array) return unpack(reading, value);
  const { maxDepth, maxItemsIn } = reading.options;
  try {
    const limits = { maxDepth, maxItems: maxItemsIn(Number.MAX_SAFE_INTEGER) };
    return received(reading, plainAmqpValue(value, limits));
  } catch (error) {
    return reading.refusedFor(undefined, error);
  }
}

function unpack(reading: Reading, body: Uint8Array): Awaitable<DeserializationOutcome> {
  const encoding = contentEncodingOf(reading.message.applicationProperties);
  return encoding === undefined || body.length === 0
    ? choose(reading, body)
    : unpackEncoded(reading, body, encoding);
}

function unpackEncoded(
  reading: Reading,
  body: Uint8Array,
  encoding: unknown,
): Awaitable<DeserializationOutcome> {
  let bytes: Awaitable<Uint8Array>;
  try {
    const codings = parseContentEncoding(encoding);
    reading.contentEncodings = codings;
    bytes = body;
    for (const coding of codings) {
      bytes = afterwards(bytes, (input) => decompress(coding, input, reading.options.maxDecompressedBytes));
    }
  } catch (error) {
    return reading.refusedFor(undefined, error);
  }
  if (!isPromise(bytes)) return choose(reading, bytes);
  return bytes.then(
    (plain) => choose(reading, plain),
    (error: unknown) => reading.refusedFor(undefined, error),
  );
}

/** Only bytes can be encrypted; otherwise plaintext with encryption properties would be accepted as encrypted. */
function notEncrypted(): Error {
  return decodeFailure("encryption-malformed", "The body is labelled as encrypted but is not bytes.");
}
