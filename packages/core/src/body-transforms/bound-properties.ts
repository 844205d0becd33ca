import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import { type MessageTypeResolver, propertyResolver } from "../message-types/message-type-resolver.js";
import { claimCheckDetails, claimCheckProperty } from "./claim-check.js";
import { contentEncodingOf, withEffectiveContentEncoding } from "./compression.js";
import {
  type EncryptionLabel,
  encryptionDetails,
  encryptionProperty,
  isLabelledEncrypted,
  parseBoundList,
} from "./encrypt.js";

const defaultResolver = propertyResolver();

const noBytes = new Uint8Array(0);

/** The application properties that describe the transforms of a body. Every encrypted body is bound to them, so no list names them. */
export const sealingProperties: ReadonlySet<string> = new Set([
  claimCheckProperty,
  ...Object.values(claimCheckDetails),
  encryptionProperty,
  ...Object.values(encryptionDetails),
]);

/**
 * The application properties to which a body is bound when it is encrypted: those at which the resolver looks for type and version, whether or
 * not they are set, and those of the options. Without message types, those of the default resolver.
 */
export function propertiesToBind(
  { contentType, subject, applicationProperties = {} }: EncodedMessage,
  resolver: MessageTypeResolver = defaultResolver,
  named: readonly string[],
): readonly string[] {
  const names = new Set(named);
  const properties = watched(applicationProperties, (name) => names.add(name));
  try {
    resolver.identify({ body: noBytes, contentType, subject, applicationProperties: properties });
  } catch {
    // Only the properties at which it looked matter, not its error.
  }
  return [...names].filter((name) => !isAlwaysBound(name)).sort();
}

/**
 * The part of an encrypted message to which its body is bound; nothing else may decide how it is read. Empty texts count as absent, because
 * not every hop distinguishes these. Any other message as it is.
 */
export function authenticatedPart(message: EncodedMessage): EncodedMessage {
  const { body, contentType, subject, applicationProperties = {} } = message;
  if (!isLabelledEncrypted(applicationProperties)) return message;
  const bound = new Set(listedNames(applicationProperties));
  const properties = Object.entries(applicationProperties).filter(
    ([name]) => sealingProperties.has(name) || (bound.has(name) && !isAlwaysBound(name)),
  );
  return {
    body,
    contentType: contentType || undefined,
    subject: subject || undefined,
    applicationProperties: withEffectiveContentEncoding(
      Object.fromEntries(properties),
      contentEncodingOf(message),
    ),
  };
}

/**
 * Throws `decryption-failed` for a message whose type or version depends here on an application property to which its body is not bound,
 * because it may have been changed, added or removed in transit.
 */
export function requireBound(
  message: EncodedMessage,
  { bound }: EncryptionLabel,
  resolver: MessageTypeResolver | undefined,
  named: readonly string[],
): void {
  const needed = resolver === undefined ? named : propertiesToBind(message, resolver, named);
  const missing = needed.find((name) => !bound.names.includes(name) && !isAlwaysBound(name));
  if (missing === undefined) return;
  throw decodeFailure(
    "decryption-failed",
    `The body is not bound to "${missing}", which decides here how it is read. Let the sender name the application property in ` +
      "encryption.boundProperties.",
  );
}

function isAlwaysBound(name: string): boolean {
  return sealingProperties.has(name) || name.toLowerCase() === "content-encoding";
}

/** None of a malformed list, for which decryption fails. */
function listedNames(properties: ApplicationProperties): readonly string[] {
  try {
    return parseBoundList(properties[encryptionDetails.bound]);
  } catch {
    return [];
  }
}

/** The properties, with a call for every name that is read, tested with `in` or `Object.hasOwn`, or enumerated. */
function watched(properties: ApplicationProperties, look: (name: string) => void): ApplicationProperties {
  const note = (name: string | symbol) => {
    if (typeof name === "string") look(name);
  };
  return new Proxy(
    { ...properties },
    {
      get(target, name) {
        note(name);
        return Reflect.get(target, name);
      },
      has(target, name) {
        note(name);
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor(target, name) {
        note(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    },
  );
}
