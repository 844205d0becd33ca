import type { BodyCheck } from "../contracts/body-schema.js";
import type { Awaitable } from "../contracts/serializer.js";
import { validationFailure } from "../errors/failure.js";
import { isPromise } from "../foundation/is-promise.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { KnownVersion, MessageTypeRegistry } from "../message-types/message-type-registry.js";
import { upcastBody } from "../message-types/upcast.js";
import type { ChainLink } from "./chain.js";
import { noProperties, type Reading } from "./reading.js";

/** The last stages of reading a decoded value: open its envelope, upcast it to the current version. */
export function conclude(
  reading: Reading,
  body: unknown,
  link: ChainLink | undefined,
): Awaitable<DeserializationOutcome> {
  const { messageTypes } = reading.options;
  if (messageTypes === undefined) return reading.decoded(body, link);
  if (reading.known === undefined && messageTypes.open !== undefined) {
    return open(reading, body, link, messageTypes.open);
  }
  return upcast(reading, body, link);
}

/** Concludes a value that needs no serializer. */
export function received(reading: Reading, value: unknown): Awaitable<DeserializationOutcome> {
  try {
    return conclude(reading, checked(reading, value, undefined), undefined);
  } catch (error) {
    return reading.refusedFor(undefined, error);
  }
}

/**
 * Validates against the message type's version of the body, and against the pipeline's own schema, in every format. This is part of the
 * attempt: if it fails, the next serializer is tried.
 */
export function checked(reading: Reading, value: unknown, link: ChainLink | undefined): unknown {
  const { known } = reading;
  let body = valid(known?.version.check, value);
  // A message without a body has no format, so no schema of a format applies.
  if (known !== undefined && !reading.isEmpty) body = valid(known.guardFor(link?.serializer.name), body);
  // A body in an envelope or of an older version is not yet the one that handlers receive.
  const isPending =
    known === undefined ? reading.options.messageTypes?.open !== undefined : hasUpcasts(known);
  return isPending ? body : guarded(reading, body);
}

/** Validates the body for the handler against the schema of the pipeline. */
function guarded({ options, message, known, selection, abortSignal }: Reading, body: unknown): unknown {
  const { bodySchemas } = options;
  if (bodySchemas === undefined) return body;
  const check = bodySchemas.checkFor({
    messageType: known === undefined ? message.subject : known.type.name,
    messageVersion: known?.type.version,
    contentType: message.contentType,
    mediaType: selection.mediaType,
    applicationProperties: message.applicationProperties ?? noProperties,
    abortSignal,
  });
  return valid(check, body);
}

/** If the properties have no message type, looks for it in an envelope around the body. */
function open(
  reading: Reading,
  value: unknown,
  link: ChainLink | undefined,
  openEnvelope: NonNullable<MessageTypeRegistry["open"]>,
): Awaitable<DeserializationOutcome> {
  try {
    const opened = openEnvelope(value, reading.message);
    reading.known = opened.known;
    const check = opened.known?.checkOpened(link?.serializer.name);
    const body = valid(check, opened.body);
    const isOlder = opened.known !== undefined && hasUpcasts(opened.known);
    return upcast(reading, isOlder ? body : guarded(reading, body), link);
  } catch (error) {
    return reading.refusedFor(link, error);
  }
}

function upcast(
  reading: Reading,
  body: unknown,
  link: ChainLink | undefined,
): Awaitable<DeserializationOutcome> {
  const { known } = reading;
  if (known === undefined || !hasUpcasts(known)) return reading.decoded(body, link);
  const finish = (current: unknown) => {
    // A message without a body was not upcast.
    if (body !== undefined) reading.upcastPath = known.version.upcastPath;
    return reading.decoded(guarded(reading, current), link);
  };
  try {
    const current = upcastBody(body, known, {
      serializer: link?.serializer.name,
      applicationProperties: reading.message.applicationProperties ?? noProperties,
      abortSignal: reading.abortSignal,
      timeoutMs: reading.options.attemptTimeoutInMs,
    });
    if (!isPromise(current)) return finish(current);
    return current.then(finish).catch((error: unknown) => reading.refusedFor(link, error));
  } catch (error) {
    return reading.refusedFor(link, error);
  }
}

function hasUpcasts({ version }: KnownVersion): boolean {
  return version.upcasts.length > 0;
}

function valid(check: BodyCheck | undefined, value: unknown): unknown {
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}
