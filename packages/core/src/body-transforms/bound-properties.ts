import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import { type MessageTypeResolver, propertyResolver } from "../message-types/message-type-resolver.js";
import type { EncryptionLabel } from "./encrypt.js";

/** The list comes from the wire too. */
const maxListLength = 4096;
const maxListedNames = 64;

const defaultResolver = propertyResolver();

/**
 * The application properties to which a body is bound when it is encrypted: those that the resolver looks at to say type and version,
 * whether or not they are there, and the ones that the options name. Without message types those of the default resolver.
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
    // What it looked at decides, whatever came of it.
  }
  return [...new Set([...looked, ...named])].sort();
}

/** Writes the list as it travels. */
export function formatBoundList(names: readonly string[]): string {
  return JSON.stringify(names);
}

/** Reads the list. Throws `encryption-malformed` for one that no release of waybill writes. */
export function parseBoundList(list: unknown): readonly string[] {
  const names = typeof list === "string" && list.length <= maxListLength ? parsed(list) : undefined;
  const isList = Array.isArray(names) && names.length <= maxListedNames;
  if (isList && names.every((name) => typeof name === "string")) return names;
  throw decodeFailure(
    "encryption-malformed",
    "The list of the application properties that are bound is none.",
  );
}

/**
 * Throws `decryption-failed` for a message whose type or version hangs on an application property to which its body is not bound: anybody
 * on the way may have written it. Does nothing for a body of the earlier binding, which the report tells apart.
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
