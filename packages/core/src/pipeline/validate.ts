import { isPromise } from "@waybill/foundation";
import type { BodyCheck } from "../contracts/body-schema.js";
import type { Serializer, SerializerContext } from "../contracts/serializer.js";
import { validationFailure } from "../errors/failure.js";
import type { KnownVersion } from "../message-types/message-type-registry.js";
import { checkOfMember, checkWithoutSerializer } from "../message-types/serializer-checks.js";
import { upcastBody } from "../message-types/upcast.js";
import type { ChainLink } from "./chain.js";
import { nestedBody } from "./deserialize-with.js";
import { mayBeEnvelope, type Reading, type Waiting } from "./reading.js";

/** The first stage: finds the message type and version in the properties. Throws if their policies refuse the message. */
export function identify(reading: Reading): undefined {
  reading.known = reading.options.messageTypes?.identify(reading.message, reading.call.readAs?.version);
}

/**
 * Validates a decoded value against the message type's version of the body, and against the pipeline's own schema, in every format; `link` is
 * undefined for a value that needed no serializer. An envelope is opened first. Returns the value, which a schema may transform. Throws
 * `schema-violation`.
 */
export function validated(reading: Reading, link: ChainLink | undefined, value: unknown): unknown {
  if (mayBeEnvelope(reading)) return value;
  const { known } = reading;
  // Without a serializer, its check takes its place: before that of the definition, which may transform the value.
  const given = link === undefined ? valid(ofNoSerializer(reading), value) : value;
  return known === undefined ? guarded(reading, given) : validatedAs(known, reading, link, given);
}

function validatedAs(
  known: KnownVersion,
  reading: Reading,
  link: ChainLink | undefined,
  value: unknown,
): unknown {
  const checked = valid(known.version.check, value);
  const body = link === undefined ? checked : valid(known.guardFor(link.serializer.name), checked);
  // A body of an older version is not yet the one that handlers receive.
  return hasUpcasts(known) ? body : guarded(reading, body);
}

/** The stage that takes the body out of an envelope that says the message type, if the properties do not, reads it, and validates it. */
export function openEnvelope(reading: Reading): Waiting {
  if (!mayBeEnvelope(reading)) return undefined;
  const { link } = reading;
  const opened = reading.options.messageTypes?.open?.(reading.body, reading.message);
  if (opened === undefined) {
    const check = link === undefined ? ofNoSerializer(reading) : ofMember(reading, link.serializer);
    reading.body = guarded(reading, valid(check, reading.body));
    return undefined;
  }
  const { known } = opened;
  reading.known = known;
  const { value: member, serializer, isDecoded } = nestedBody(reading, opened);
  const finish = (value: unknown): undefined => {
    const body = isDecoded ? value : valid(ofMember(reading, serializer), value);
    const checked = valid(known?.checkOpened(serializer?.name), body);
    reading.body = known !== undefined && hasUpcasts(known) ? checked : guarded(reading, checked);
    reading.link = link;
  };
  return isPromise(member) ? member.then(finish) : finish(member);
}

/** The stage that upcasts the body to the current version of its message type, and validates the result. */
export function upcast(reading: Reading): Waiting {
  const { known, applicationProperties, options, call } = reading;
  if (known === undefined || !hasUpcasts(known)) return undefined;
  const current = upcastBody(reading.body, known, {
    serializer: reading.link?.serializer.name,
    applicationProperties,
    abortSignal: call.abortSignal,
    timeoutMs: options.attemptTimeoutInMs,
  });
  const finish = (value: unknown): undefined => {
    // A message without a body was not upcast.
    if (reading.body !== undefined) reading.report.upcastPath = known.version.upcastPath;
    reading.body = guarded(reading, value);
  };
  return isPromise(current) ? current.then(finish) : finish(current);
}

/** The check of an AMQP value or a missing body, in the place of the one in the serializer. */
function ofNoSerializer(reading: Reading): BodyCheck | undefined {
  const { options, chain, known, named, selection } = reading;
  const { serializer } = named ?? selection.link ?? chain.main;
  const context = contextOf(reading, known?.version.version);
  return checkWithoutSerializer([serializer, ...options.serializers], known, context);
}

/** The check of a value that is not the whole of what its serializer read, or may not have been. */
function ofMember(reading: Reading, serializer: Serializer | undefined): BodyCheck | undefined {
  const { options, known } = reading;
  const serializers = serializer === undefined ? options.serializers : [serializer];
  return checkOfMember(serializers, known, contextOf(reading, known?.version.version));
}

/** Validates the body for the handler against the schema of the pipeline. */
function guarded(reading: Reading, body: unknown): unknown {
  const { bodySchemas } = reading.options;
  if (bodySchemas === undefined) return body;
  return valid(bodySchemas.checkFor(contextOf(reading, reading.known?.type.version)), body);
}

function contextOf(reading: Reading, messageVersion: number | undefined): SerializerContext {
  const { message, known, selection, applicationProperties, call } = reading;
  return {
    messageType: known === undefined ? message.subject : known.type.name,
    messageVersion,
    contentType: message.contentType,
    mediaType: selection.mediaType,
    applicationProperties,
    abortSignal: call.abortSignal,
  };
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
