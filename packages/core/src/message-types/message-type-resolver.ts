import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, EncodedMessage, WritableProperties } from "../message/message.js";

/** What a message says it is. */
export interface MessageIdentity {
  /** A message type's name or one of its aliases. */
  readonly messageType: string;
  /** Undefined when the message does not say. */
  readonly version: number | undefined;
}

/** What an envelope around the body held. */
export interface OpenedEnvelope extends MessageIdentity {
  readonly body: unknown;
}

/**
 * How type and version travel on a message. Replace it for messages of other systems: NServiceBus and CloudEvents in binary mode name the
 * type in application properties, MassTransit and CloudEvents in structured mode in an envelope around the body.
 */
export interface MessageTypeResolver {
  /**
   * Reads type and version from a message's properties; undefined when they do not say. Throws `decodeFailure` with the reason
   * `message-version-malformed` for a version that is none. `isKnown` says whether a message type or an alias has a name, for messages that
   * may say their type in several places.
   */
  identify(message: EncodedMessage, isKnown?: (messageType: string) => boolean): MessageIdentity | undefined;
  /**
   * The properties to set on a message that is sent. Application properties are added to the message's own, none of which is dropped; a
   * `subject` is not set where the message has another and says its type elsewhere. Handed the message as the application made it.
   */
  stamp(identity: MessageIdentity, message: WritableProperties): WritableProperties;
  /** Takes the body out of its envelope, when the properties did not say the type; undefined when it is none. */
  open?(body: unknown, message: EncodedMessage): OpenedEnvelope | undefined;
  /** Puts the body into its envelope. */
  wrap?(body: unknown, identity: MessageIdentity, message: WritableProperties): unknown;
}

/** Where `propertyResolver` looks. */
export interface PropertyResolverOptions {
  /** The application property that holds the version. Default: `"messageVersion"`. */
  readonly versionProperty?: string | undefined;
  /**
   * The application property that holds the type. Default: the type is the `subject`, or, where the subject names none of the message types,
   * the application property `type` if that does.
   */
  readonly typeProperty?: string | undefined;
}

/** The default of `versionProperty`; a name that SQL filters take without quotes. */
const defaultVersionProperty = "messageVersion";

/** Where senders without waybill often say the type. */
const usualTypeProperty = "type";

/**
 * The resolver that is used unless another is given: the type is the message's `subject`, the version the application property
 * `messageVersion`, an integer. A version may also be a text of digits, for senders that know no other properties. Where the subject
 * names no message type and the application property `type` does, that is the type; it is never written.
 */
export function propertyResolver(options: PropertyResolverOptions = {}): MessageTypeResolver {
  const { versionProperty = defaultVersionProperty, typeProperty } = options;
  return Object.freeze({
    identify({ subject, applicationProperties }, isKnown) {
      const messageType =
        typeProperty === undefined
          ? subjectOrType(subject, applicationProperties, isKnown)
          : applicationProperties?.[typeProperty];
      if (!isName(messageType)) return undefined;
      return {
        messageType,
        version: parseVersion(applicationProperties?.[versionProperty], versionProperty),
      };
    },
    stamp({ messageType, version }, { applicationProperties }) {
      const stamped: Record<string, string | number> = {};
      if (typeProperty !== undefined) stamped[typeProperty] = messageType;
      if (version !== undefined) stamped[versionProperty] = version;
      return {
        ...(typeProperty === undefined ? { subject: messageType } : {}),
        applicationProperties: { ...applicationProperties, ...stamped },
      };
    },
  } satisfies MessageTypeResolver);
}

/**
 * A `type` that names no message type may say anything, so it counts only where it is known, or where nobody can say so. It is looked at
 * only where it is there: bodies are bound to what is looked at when they are encrypted.
 */
function subjectOrType(
  subject: unknown,
  applicationProperties: ApplicationProperties = {},
  isKnown: ((messageType: string) => boolean) | undefined,
): unknown {
  if (isKnown !== undefined && isName(subject) && isKnown(subject)) return subject;
  const isThere = Object.hasOwn(applicationProperties, usualTypeProperty);
  const type = isThere ? applicationProperties[usualTypeProperty] : undefined;
  if (!isName(type)) return subject;
  if (isKnown === undefined) return isName(subject) ? subject : type;
  return isKnown(type) ? type : subject;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function parseVersion(value: unknown, property: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const version =
    typeof value === "bigint" || (typeof value === "string" && /^[1-9]\d{0,14}$/.test(value))
      ? Number(value)
      : value;
  if (typeof version === "number" && Number.isSafeInteger(version) && version >= 1) return version;
  throw decodeFailure(
    "message-version-malformed",
    `The application property "${property}" must be a positive integer.`,
  );
}
