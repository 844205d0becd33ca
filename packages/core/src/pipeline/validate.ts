import { isPromise } from "@waybill/foundation";
import type { BodyCheck } from "../contracts/body-schema.js";
import type { SerializerContext } from "../contracts/serializer.js";
import { validationFailure } from "../errors/failure.js";
import type { KnownVersion } from "../message-types/message-type-registry.js";
import { upcastBody } from "../message-types/upcast.js";
import { checkWithoutSerializer } from "./body-sections.js";
import type { ChainLink } from "./chain.js";
import { nestedBody } from "./deserialize-with.js";
import type { Reading, Waiting } from "./reading.js";

/** The first stage: finds the message type and version in the properties. Throws if their policies refuse the message. */
export function identify(reading: Reading): undefined {
  reading.known = reading.options.messageTypes?.identify(reading.message, reading.readAs?.version);
}

/**
 * Validates a decoded value against the message type's version of the body, and against the pipeline's own schema, in every format; `link` is
 * undefined for a value that needed no serializer. Returns the value, which a schema may transform. Throws `schema-violation`.
 */
export function validated(reading: Reading, link: ChainLink | undefined, value: unknown): unknown {
  const { known } = reading;
  const checked = valid(known?.version.check, value);
  const guard = link === undefined ? ofNoSerializer(reading) : known?.guardFor(link.serializer.name);
  const body = valid(guard, checked);
  // A body in an envelope or of an older version is not yet the one that handlers receive.
  const isPending =
    known === undefined ? reading.options.messageTypes?.open !== undefined : hasUpcasts(known);
  return isPending ? body : guarded(reading, body);
}

/** The stage that takes the body out of an envelope that says the message type, if the properties do not, reads it, and validates it. */
export function openEnvelope(reading: Reading): Waiting {
  const { link } = reading;
  const open = reading.options.messageTypes?.open;
  if (open === undefined || reading.known !== undefined) return undefined;
  const opened = open(reading.body, reading.message);
  const { known } = opened;
  reading.known = known;
  const { value: nested, serializer } = nestedBody(reading, opened);
  const finish = (body: unknown): undefined => {
    const checked = valid(known?.checkOpened(serializer), body);
    reading.body = known !== undefined && hasUpcasts(known) ? checked : guarded(reading, checked);
    reading.link = link;
  };
  return isPromise(nested) ? nested.then(finish) : finish(nested);
}

/** The stage that upcasts the body to the current version of its message type, and validates the result. */
export function upcast(reading: Reading): Waiting {
  const { known, applicationProperties, options, abortSignal } = reading;
  if (known === undefined || !hasUpcasts(known)) return undefined;
  const current = upcastBody(reading.body, known, {
    serializer: reading.link?.serializer.name,
    applicationProperties,
    abortSignal,
    timeoutMs: options.attemptTimeoutInMs,
  });
  const finish = (value: unknown): undefined => {
    // A message without a body was not upcast.
    if (reading.body !== undefined) reading.upcastPath = known.version.upcastPath;
    reading.body = guarded(reading, value);
  };
  return isPromise(current) ? current.then(finish) : finish(current);
}

/** The check of an AMQP value or a missing body, in the place of the one in the serializer. */
function ofNoSerializer(reading: Reading): BodyCheck | undefined {
  const { chain, known, named, selection } = reading;
  const context = contextOf(reading, known?.version.version);
  return checkWithoutSerializer(chain, known, named ?? selection.link, context);
}

/** Validates the body for the handler against the schema of the pipeline. */
function guarded(reading: Reading, body: unknown): unknown {
  const { bodySchemas } = reading.options;
  if (bodySchemas === undefined) return body;
  return valid(bodySchemas.checkFor(contextOf(reading, reading.known?.type.version)), body);
}

function contextOf(reading: Reading, messageVersion: number | undefined): SerializerContext {
  const { message, known, selection, applicationProperties, abortSignal } = reading;
  return {
    messageType: known === undefined ? message.subject : known.type.name,
    messageVersion,
    contentType: message.contentType,
    mediaType: selection.mediaType,
    applicationProperties,
    abortSignal,
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
