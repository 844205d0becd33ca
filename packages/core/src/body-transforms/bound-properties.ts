import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import { type MessageTypeResolver, propertyResolver } from "../message-types/message-type-resolver.js";
import { isAlwaysBound } from "./authenticated-part.js";
import type { EncryptionLabel } from "./encrypt.js";

const defaultResolver = propertyResolver();

const noBytes = new Uint8Array(0);

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
