import { afterwards } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import { hasCode, WaybillError } from "../errors/error.js";
import { unavailableFailure } from "../errors/failure.js";
import { redactedCause } from "../errors/redacted-cause.js";
import type { Message } from "../message/message.js";
import { cast } from "../message-types/cast.js";
import type { MessageType } from "../message-types/message-type.js";
import type { KnownVersion, MessageTypeRegistry } from "../message-types/message-type-registry.js";
import type { MessageIdentity } from "../message-types/message-type-resolver.js";
import { carriesType } from "../message-types/types-to-send.js";
import type { SerializeCallOptions } from "./call-options.js";
import type { Chain } from "./chain.js";
import type { ResolvedPipelineOptions } from "./options.js";
import { noProperties } from "./reading.js";

/** A message whose body has the version to write, with its type and version as properties. */
export interface Prepared {
  readonly message: Message;
  /** The version to write; undefined for an untyped message. */
  readonly known: KnownVersion | undefined;
  /** The body without the envelope that the resolver put around it; undefined if it put none. */
  readonly member: { readonly body: unknown } | undefined;
}

/**
 * Prepares a message for writing: checks its body against the current version of its type, downcasts it if an older version is requested,
 * checks it again, and sets the properties for type and version. Throws or rejects with `serialization-failed`.
 */
export function prepare(
  chain: Chain,
  options: ResolvedPipelineOptions,
  message: Message,
  { writeAs, abortSignal }: SerializeCallOptions = {},
): Awaitable<Prepared> {
  const contentType =
    writeAs?.serializer === undefined ? undefined : mediaTypeOf(chain, writeAs.serializer, message);
  const registry = options.messageTypes;
  const type = registry && typeToSend(registry, message);
  if (registry === undefined || type === undefined) {
    if (writeAs?.version !== undefined)
      throw failure(message, "it has no message type, so it has no versions.");
    const label = message.body === undefined ? undefined : contentType;
    return {
      message: changed(message, message.body, { contentType: label }),
      known: undefined,
      member: undefined,
    };
  }
  const known = versionToWrite(registry, type, writeAs?.version ?? type.version, message);
  requireValid(type.versions.at(-1)?.check, message, type);
  const { downcasts = [] } = known.version;
  const finish = (value: unknown): Prepared => {
    if (downcasts.length > 0) requireValid(known.version.check, { ...message, body: value }, type);
    const { wrap } = registry.resolver;
    const wrapped = wrap === undefined ? value : wrap(value, identityOf(known), message);
    const member = wrapped === value ? undefined : { body: value };
    return { message: stamped(registry, known, message, wrapped, contentType), known, member };
  };
  if (downcasts.length === 0 || message.body === undefined) return finish(message.body);
  const context = {
    applicationProperties: message.applicationProperties ?? noProperties,
    abortSignal,
  };
  const body = cast(message.body, downcasts, context, options.attemptTimeoutInMs, (text, error) =>
    hasCode(error, "unavailable")
      ? unavailableFailure(text, error)
      : failure(message, text, redactedCause(error)),
  );
  return afterwards(body, finish);
}

/**
 * The options with which a message is written: with the definition that it carries, if the pipeline does not know that type. Throws
 * `serialization-failed` if the pipeline knows it in another version.
 */
export function optionsToSend(options: ResolvedPipelineOptions, message: Message): ResolvedPipelineOptions {
  if (!carriesType(message)) return options;
  try {
    const messageTypes = options.typesToSend.of(message);
    return messageTypes === options.messageTypes ? options : { ...options, messageTypes };
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
    throw failure(message, error.text);
  }
}

/** The type of a message to send; undefined for an untyped message. Throws `serialization-failed`. */
export function typeToSend(registry: MessageTypeRegistry, message: Message): MessageType | undefined {
  try {
    return registry.toSend(message);
  } catch (error) {
    throw failure(message, (error as WaybillError).text);
  }
}

function versionToWrite(
  registry: MessageTypeRegistry,
  type: MessageType,
  version: number,
  message: Message,
): KnownVersion {
  const known = registry.version(type, version);
  if (known?.version.downcasts !== undefined) return known;
  throw failure(
    message,
    `"${type.name}" cannot be written as version ${version}: no downcasters lead there.`,
  );
}

function requireValid(check: KnownVersion["version"]["check"], message: Message, type: MessageType): void {
  const result = check?.(message.body);
  if (result !== undefined && !result.isValid) {
    throw failure(message, `"${type.name}": ${result.text}`);
  }
}

function identityOf({ type, version }: KnownVersion): MessageIdentity {
  return { messageType: type.name, version: version.version };
}

function stamped(
  registry: MessageTypeRegistry,
  known: KnownVersion,
  message: Message,
  body: unknown,
  contentType: string | undefined,
): Message {
  const stamps = registry.resolver.stamp(identityOf(known), message);
  const copy = changed(message, body, stamps);
  // The application's own properties stay, and its subject if that is not the type.
  const { subject, applicationProperties } = message;
  if (subject !== undefined && subject !== "" && !registry.isKnown(subject)) copy.subject = subject;
  if (applicationProperties !== undefined && stamps.applicationProperties !== undefined)
    copy.applicationProperties = { ...applicationProperties, ...stamps.applicationProperties };
  if (contentType !== undefined && body !== undefined) copy.contentType = contentType;
  return copy;
}

/** A copy of the message with another body and properties. A loop, because spreading is slow on this hot path. */
function changed(
  message: Message,
  body: unknown,
  properties: Partial<Message>,
): { -readonly [Name in keyof Message]: Message[Name] } {
  const copy: Record<string, unknown> = {};
  for (const name in message) copy[name] = message[name as keyof Message];
  for (const name in properties) {
    const value = properties[name as keyof Message];
    if (value !== undefined) copy[name] = value;
  }
  copy.body = body;
  return copy as unknown as Message;
}

function mediaTypeOf(chain: Chain, name: string, message: Message): string {
  const link = chain.links.find(({ serializer }) => serializer.name === name);
  if (link !== undefined) return link.mediaType;
  throw failure(message, `no serializer of the pipeline is named "${name}".`);
}

function failure({ messageId }: Message, text: string, cause?: unknown): WaybillError {
  return new WaybillError("serialization-failed", text, { messageId, cause });
}
