import type { Serializer } from "../contracts/serializer.js";
import { decodeFailure } from "../errors/failure.js";
import type {
  ApplicationProperties,
  ApplicationPropertyValue,
  EncodedMessage,
  WritableProperties,
} from "../message/message.js";

/** The type and version of a message. */
export interface MessageIdentity {
  /** A message type's name or one of its aliases. */
  readonly messageType: string;
  /** Undefined when the message has none. */
  readonly version: number | undefined;
}

/** The content of an envelope around the body. */
export interface OpenedEnvelope extends MessageIdentity {
  /** The body: a value, or bytes or a string in the format that `bodyContentType` names. */
  readonly body: unknown;
  /**
   * The content type of bytes or a string in the envelope. If it names a serializer of the pipeline, that one reads them, with the limits of a
   * body; otherwise they are the body. Default: none, the body is a value.
   */
  readonly bodyContentType?: string | undefined;
  /** Reads the body if `bodyContentType` names no serializer of the pipeline. Default: none. */
  readonly bodySerializer?: Serializer | undefined;
}

/**
 * Reads and writes the type and version of messages. Implement it for messages of other systems: NServiceBus and CloudEvents in binary mode
 * have the type in application properties, MassTransit and CloudEvents in structured mode in an envelope around the body.
 */
export interface MessageTypeResolver {
  /**
   * Reads type and version from a message's properties; undefined when they have no type. Throws `decodeFailure` with the reason
   * `message-version-malformed` for an invalid version. `isKnown` returns whether a name is that of a message type or an alias, for messages
   * that may have their type in several places.
   */
  identify(message: EncodedMessage, isKnown?: (messageType: string) => boolean): MessageIdentity | undefined;
  /**
   * Returns the properties to set on a message that is sent; `message` is the one given by the application. Application properties are added
   * to the message's own; a `subject` is not set if the message has another one and has its type elsewhere.
   */
  stamp(identity: MessageIdentity, message: WritableProperties): WritableProperties;
  /** Takes the body out of its envelope, when the properties have no type; undefined when the body is not an envelope. */
  open?(body: unknown, message: EncodedMessage): OpenedEnvelope | undefined;
  /** Puts the body into its envelope. */
  wrap?(body: unknown, identity: MessageIdentity, message: WritableProperties): unknown;
}

/** The properties that `propertyResolver` uses. */
export interface PropertyResolverOptions {
  /** The application property with the version. Default: `"messageVersion"`. */
  readonly versionProperty?: string | undefined;
  /**
   * The application property with the type. Default: the type is the `subject`, or, if the subject names no message type, the application
   * property `type` if that names one.
   */
  readonly typeProperty?: string | undefined;
}

/** A name that needs no quotes in SQL filters. */
const defaultVersionProperty = "messageVersion";

/** The application property in which senders without waybill often have the type. */
const usualTypeProperty = "type";

/**
 * The default resolver: the type is the message's `subject`, the version the application property `messageVersion`, an integer or a string
 * of digits, for senders that support only string properties. If the subject names no message type but the application property `type`
 * does, that is the type; `type` is never written.
 */
export function propertyResolver(options: PropertyResolverOptions = {}): MessageTypeResolver {
  const { versionProperty = defaultVersionProperty, typeProperty } = options;
  return Object.freeze({
    identify({ subject, applicationProperties }, isKnown) {
      const messageType =
        typeProperty === undefined
          ? subjectOrType(subject, applicationProperties, isKnown)
          : applicationProperties?.[typeProperty];
      const version = applicationProperties?.[versionProperty];
      if (!isName(messageType)) return undefined;
      return { messageType, version: parseVersion(version, versionProperty) };
    },
    stamp({ messageType, version }, { applicationProperties }) {
      const stamped: Record<string, ApplicationPropertyValue> = { ...applicationProperties };
      if (version !== undefined) stamped[versionProperty] = version;
      if (typeProperty === undefined) return { subject: messageType, applicationProperties: stamped };
      stamped[typeProperty] = messageType;
      return { applicationProperties: stamped };
    },
  } satisfies MessageTypeResolver);
}

/**
 * An unknown `type` may have another meaning, so it is used only if `isKnown` accepts it or is not given. Both are always looked at, because
 * encryption authenticates the properties at which the sender's resolver looks, and readers may know other types.
 */
function subjectOrType(
  subject: unknown,
  applicationProperties: ApplicationProperties = {},
  isKnown: ((messageType: string) => boolean) | undefined,
): unknown {
  const isThere = Object.hasOwn(applicationProperties, usualTypeProperty);
  const type = isThere ? applicationProperties[usualTypeProperty] : undefined;
  if (isKnown !== undefined && isName(subject) && isKnown(subject)) return subject;
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
