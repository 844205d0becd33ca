import { decodeFailure } from "../errors/failure.js";
import { parseJson } from "../foundation/parse-json.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import { type MessageTypeResolver, propertyResolver } from "../message-types/message-type-resolver.js";
import type { EncryptionLabel } from "./encrypt.js";

/** Limits, because the list also comes from the wire. */
const maxListLength = 4096;
const maxListedNames = 64;

const defaultResolver = propertyResolver();

/**
 * The application properties to which a body is bound when it is encrypted: those that the resolver reads for type and version, whether or not
 * they are set, and those of the options. Without message types, those of the default resolver.
 */
export function propertiesToBind(
  message: EncodedMessage,
  resolver: MessageTypeResolver = defaultResolver,
  named: readonly string[],
): readonly string[] {
  const looked = new Set<string>();
  const applicationProperties = new Proxy(message.applicationProperties ?? {}, {
    get(target, name) {
      if (typeof name === "string") looked.add(name);
      return Reflect.get(target, name);
    },
  });
  try {
    resolver.identify({ ...message, applicationProperties });
  } catch {
    // Only the properties that it read matter, not its error.
  }
  return [...new Set([...looked, ...named])].sort();
}

/** Parses the list of a message. Throws `encryption-malformed` for an invalid one. */
export function parseBoundList(list: unknown): readonly string[] {
  const names = typeof list === "string" && list.length <= maxListLength ? parseJson(list) : undefined;
  const isList = Array.isArray(names) && names.length <= maxListedNames;
  if (isList && names.every((name) => typeof name === "string")) return names;
  throw decodeFailure("encryption-malformed", "The list of bound application properties is malformed.");
}

/**
 * Throws `decryption-failed` for a message whose type or version depends on an application property to which its body is not bound, because it
 * may have been changed in transit. Does nothing for a body of an earlier release, which the report marks as `"partial"`.
 */
export function requireBound(
  message: EncodedMessage,
  { bound }: EncryptionLabel,
  resolver: MessageTypeResolver | undefined,
  named: readonly string[],
): void {
  if (bound === undefined) return;
  const { applicationProperties = {} } = message;
  for (const name of named) {
    if (applicationProperties[name] !== undefined && !bound.names.includes(name)) throw unbound(name);
  }
  if (resolver === undefined) return;
  const own = identityOf(resolver, message, applicationProperties);
  if (own === identityOf(resolver, message, only(applicationProperties, bound.names))) return;
  throw unbound();
}

function identityOf(
  resolver: MessageTypeResolver,
  message: EncodedMessage,
  applicationProperties: ApplicationProperties,
): string {
  const identity = resolver.identify({ ...message, applicationProperties });
  return JSON.stringify([identity?.messageType, identity?.version]);
}

function only(properties: ApplicationProperties, names: readonly string[]): ApplicationProperties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
}

function unbound(name?: string): Error {
  const what = name === undefined ? "what says its type and version" : `"${name}"`;
  return decodeFailure(
    "decryption-failed",
    `The body is not bound to ${what}, which decides here how it is read. Let the sender name the application property in ` +
      "encryption.boundProperties.",
  );
}
