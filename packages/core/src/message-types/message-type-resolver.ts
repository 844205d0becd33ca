import { decodeFailure } from "../errors/failure.js";
import type { EncodedMessage, WritableProperties } from "../message/message.js";

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
   * `message-version-malformed` for a version that is none.
   */
  identify(message: EncodedMessage): MessageIdentity | undefined;
  /**
   * The properties to set on a message that is sent; application properties among them replace the message's, so they must contain those.
   * Handed the message as the application made it, its type in `subject`.
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
  /** The application property that holds the type. Default: none, the type is the `subject`. */
  readonly typeProperty?: string | undefined;
}

/** The default of `versionProperty`; a name that SQL filters take without quotes. */
const defaultVersionProperty = "messageVersion";

/**
 * The resolver that is used unless another is given: the type is the message's `subject`, the version the application property
 * `messageVersion`, a whole number. A version may also be a text of digits, for senders that know no other properties.
 */
export function propertyResolver(options: PropertyResolverOptions = {}): MessageTypeResolver {
  const { versionProperty = defaultVersionProperty, typeProperty } = options;
  return Object.freeze({
    identify({ subject, applicationProperties }) {
      const messageType = typeProperty === undefined ? subject : applicationProperties?.[typeProperty];
      if (typeof messageType !== "string" || messageType === "") return undefined;
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

function parseVersion(value: unknown, property: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const version =
    typeof value === "bigint" || (typeof value === "string" && /^[1-9]\d{0,14}$/.test(value))
      ? Number(value)
      : value;
  if (typeof version === "number" && Number.isSafeInteger(version) && version >= 1) return version;
  throw decodeFailure(
    "message-version-malformed",
    `The application property "${property}" is no whole number from 1.`,
  );
}
