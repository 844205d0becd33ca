import type { BodyCheck } from "../contracts/body-schema.js";
import type { Awaitable } from "../contracts/serializer.js";
import { validationFailure } from "../errors/failure.js";
import { isPromise } from "../foundation/is-promise.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { KnownVersion, MessageTypeRegistry } from "../message-types/message-type-registry.js";
import { upcastBody } from "../message-types/upcast.js";
import type { ChainLink } from "./chain.js";
import { noProperties, type Reading } from "./reading.js";

/** The last stages of reading, for a value that a serializer has read: open its envelope, upcast it to the current version. */
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

/** Concludes a value that no serializer had to read. */
export function received(reading: Reading, value: unknown): Awaitable<DeserializationOutcome> {
  try {
    return conclude(reading, checked(reading, value, undefined), undefined);
  } catch (error) {
    return reading.refusedFor(undefined, error);
  }
}

/**
 * Validates against the writer's version of the message type and against the pipeline's own schema, whatever the format. Part of the
 * attempt: a refusal leaves the body to the next serializer.
 */
export function checked(reading: Reading, value: unknown, link: ChainLink | undefined): unknown {
  const { known } = reading;
  let body = valid(known?.version.check, value);
  // A message without a body is of no format, whose schema it could break.
  if (known !== undefined && !reading.isEmpty) body = valid(known.guardFor(link?.serializer.name), body);
  // What is in an envelope, or of an older version, is not yet what handlers get.
  const isPending =
    known === undefined ? reading.options.messageTypes?.open !== undefined : hasUpcasts(known);
  return isPending ? body : guarded(reading, body);
}

/** Validates what handlers get against the schema of the pipeline. */
function guarded({ options, message, known, selection, signal }: Reading, body: unknown): unknown {
  const { bodySchemas } = options;
  if (bodySchemas === undefined) return body;
  const check = bodySchemas.checkFor({
    messageType: known === undefined ? message.subject : known.type.name,
    messageVersion: known?.type.version,
    contentType: message.contentType,
    mediaType: selection.mediaType,
    applicationProperties: message.applicationProperties ?? noProperties,
    signal,
  });
  return valid(check, body);
}

/** The properties did not say the type; an envelope around the body may. */
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
    // Where there is no body there was nothing to upcast.
    if (body !== undefined) reading.upcastPath = known.version.upcastPath;
    return reading.decoded(guarded(reading, current), link);
  };
  try {
    const current = upcastBody(body, known, {
      serializer: link?.serializer.name,
      applicationProperties: reading.message.applicationProperties ?? noProperties,
      signal: reading.signal,
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
