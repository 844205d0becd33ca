import { kindOf, quoted, required, requireOneOf, withDefaults } from "@waybill/foundation";
import type { BodyCheck } from "../contracts/body-schema.js";
import type { Serializer } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import { decodeFailure, encodeFailure, unavailableAt } from "../errors/failure.js";
import type { EncodedMessage, WritableProperties } from "../message/message.js";
import type { MessageType, MessageVersion } from "./message-type.js";
import {
  type MessageIdentity,
  type MessageTypeResolver,
  type OpenedEnvelope,
  propertyResolver,
} from "./message-type-resolver.js";

/** What to do with messages that match no message type or version. */
export interface MessageTypePolicies {
  /** The message has no type: treat it as untyped (`"pass"`, default), or dead-letter it (`"reject"`). */
  readonly missing: "pass" | "reject";
  /** Its type is not defined: dead-letter it, and refuse to send it (`"reject"`, default), or treat it as untyped (`"pass"`). */
  readonly unknown: "reject" | "pass";
  /**
   * Its version is newer than the current one: dead-letter it (`"reject"`, default), or abandon it after a delay, so that a newer instance
   * receives it (`"abandon"`).
   */
  readonly newer: "reject" | "abandon";
}

/** The defaults of {@link MessageTypePolicies}. */
const defaultMessageTypePolicies: MessageTypePolicies = Object.freeze({
  missing: "pass",
  unknown: "reject",
  newer: "reject",
});

/** The part of a pipeline's options that concerns message types. */
export interface MessageTypeOptions<Types extends MessageType = MessageType> {
  /**
   * The message types to send and receive. Their messages are validated, get type and version as properties, and are upcast. Default: none.
   */
  readonly messageTypes?: readonly Types[] | undefined;
  /** Where a message has its type and version. Default: in the `subject` and the application property `messageVersion`. */
  readonly messageTypeResolver?: MessageTypeResolver | undefined;
  /** What to do with messages without a type, of an unknown type, or of a newer version. Defaults: see {@link MessageTypePolicies}. */
  readonly messageTypePolicies?: Partial<MessageTypePolicies> | undefined;
}

/** A version that can be read and, if downcasters lead to it, written. */
export interface KnownVersion {
  readonly type: MessageType;
  readonly version: MessageVersion;
  /**
   * Checks a body in a format for which this version has no schema, by its schema for another format; undefined if the version has a schema
   * for this format or for all formats. `serializer` is undefined for AMQP values and missing bodies, which have no format.
   */
  guardFor(serializer: string | undefined): BodyCheck | undefined;
  /** Checks a body of this version from an envelope, which the serializer could not check. */
  checkOpened(serializer: string | undefined): BodyCheck | undefined;
  /** Checks a body that was upcast to the current version. `serializer` is the one that read it. */
  checkUpcast(serializer: string | undefined): BodyCheck | undefined;
}

/** A body taken from its envelope. */
export interface OpenedBody extends Pick<OpenedEnvelope, "body" | "bodyContentType" | "bodySerializer"> {
  readonly known: KnownVersion | undefined;
}

/** The message types of a pipeline, looked up by the properties of messages. */
export interface MessageTypeRegistry {
  readonly resolver: MessageTypeResolver;
  /**
   * The version of a received message, or `version` of its type; undefined for an untyped message. Throws the failure if the message is
   * to be dead-lettered.
   */
  identify(message: EncodedMessage, version?: number): KnownVersion | undefined;
  /**
   * The same for a message whose type is in an envelope around the body, with the body; undefined if the body is not an envelope. Absent if the
   * resolver opens no envelopes.
   */
  readonly open: ((body: unknown, message: EncodedMessage) => OpenedBody | undefined) | undefined;
  /** The type of a message to send, by its `subject` or by the resolver; undefined for an untyped message. Throws `encodeFailure`. */
  toSend(message: WritableProperties): MessageType | undefined;
  /** Whether a name is that of a message type or an alias. */
  isKnown(name: string): boolean;
  /** A version of one of the types. */
  version(type: MessageType, version: number): KnownVersion | undefined;
}

/**
 * Compiles message types for a pipeline's serializers; undefined when there are none. Throws `configuration-invalid` when two share a
 * name, `TypeError` for a schema that does not compile.
 */
export function createRegistry(
  options: MessageTypeOptions,
  serializers: readonly Serializer[],
): MessageTypeRegistry | undefined {
  const { messageTypes = [], messageTypeResolver: given = propertyResolver() } = options;
  const policies = resolvePolicies(options.messageTypePolicies);
  requireMessageTypes(messageTypes);
  if (messageTypes.length === 0) return undefined;
  const byName = collectNames(messageTypes);
  const resolver = knowingResolver(given, (name) => byName.has(name));
  const versions = new Map(messageTypes.map((type) => [type, knownVersions(type, serializers)]));
  const find = ({ messageType, version }: MessageIdentity): KnownVersion | undefined => {
    const type = byName.get(messageType);
    if (type === undefined) {
      if (policies.unknown === "pass") return undefined;
      throw decodeFailure("message-type-unknown", `No message type is named ${quoted(messageType)}.`);
    }
    const known = versions.get(type)?.get(version ?? type.unversioned);
    if (known === undefined) throw versionFailure(type, version, policies);
    return known;
  };
  const untyped = (): undefined => {
    if (policies.missing === "pass") return undefined;
    throw decodeFailure("message-type-missing", "The message does not say its type.");
  };
  const { open } = resolver;
  return {
    resolver,
    identify(message, version) {
      const identity = resolver.identify(message);
      if (identity !== undefined) return find(version === undefined ? identity : { ...identity, version });
      return open === undefined ? untyped() : undefined;
    },
    open:
      open &&
      ((body, message) => {
        // A message without a body has no envelope.
        const opened = body === undefined ? undefined : open(body, message);
        return opened === undefined ? untyped() : { ...opened, known: find(opened) };
      }),
    version: (type, version) => versions.get(type)?.get(version),
    isKnown: (name) => byName.has(name),
    toSend(message) {
      const { subject } = message;
      const type = byName.get(subject ?? "") ?? byName.get(typeSaidBy(resolver, message) ?? "");
      if (type !== undefined || !subject || policies.unknown === "pass") return type;
      throw encodeFailure(`no message type is named ${quoted(subject)}, which is the message's subject.`);
    },
  };
}

/** A resolver that passes `isKnown` to `identify`. */
function knowingResolver(
  resolver: MessageTypeResolver,
  isKnown: (name: string) => boolean,
): MessageTypeResolver {
  const { open, wrap } = resolver;
  return {
    identify: (message) => resolver.identify(message, isKnown),
    stamp: (identity, message) => resolver.stamp(identity, message),
    ...(open && { open: (body, message) => open.call(resolver, body, message) }),
    ...(wrap && { wrap: (body, identity, message) => wrap.call(resolver, body, identity, message) }),
  };
}

/** The type that the resolver reads from the properties of a message to send; its body is not written yet. */
function typeSaidBy(resolver: MessageTypeResolver, message: WritableProperties): string | undefined {
  if (message.applicationProperties === undefined) return undefined;
  try {
    return resolver.identify({ ...message, body: new Uint8Array() })?.messageType;
  } catch {
    return undefined;
  }
}

function resolvePolicies(policies: Partial<MessageTypePolicies> = {}): MessageTypePolicies {
  const resolved = withDefaults("messageTypePolicies", policies, defaultMessageTypePolicies);
  requireOneOf("messageTypePolicies.missing", resolved.missing, ["pass", "reject"]);
  requireOneOf("messageTypePolicies.unknown", resolved.unknown, ["pass", "reject"]);
  requireOneOf("messageTypePolicies.newer", resolved.newer, ["reject", "abandon"]);
  return resolved;
}

function requireMessageTypes(types: readonly MessageType[]): void {
  if (!Array.isArray(types)) {
    throw new TypeError(
      `messageTypes must be an array of message types, as defineMessage makes them; got ${kindOf(types)}.`,
    );
  }
  const wrong = types.findIndex((type) => typeof type?.name !== "string" || !Array.isArray(type.versions));
  if (wrong < 0) return;
  const given: unknown = types[wrong];
  const what = typeof given === "string" ? `the name ${quoted(given)}` : kindOf(given);
  throw new TypeError(
    `messageTypes[${wrong}] must be a message type, as defineMessage makes it; got ${what}.`,
  );
}

function collectNames(types: readonly MessageType[]): ReadonlyMap<string, MessageType> {
  const byName = new Map<string, MessageType>();
  for (const type of types) {
    for (const name of [type.name, ...type.aliases]) {
      if (byName.has(name)) {
        throw new WaybillError("configuration-invalid", `Two message types are named ${quoted(name)}.`);
      }
      byName.set(name, type);
    }
  }
  return byName;
}

function knownVersions(
  type: MessageType,
  serializers: readonly Serializer[],
): ReadonlyMap<number | undefined, KnownVersion> {
  const checked = type.versions.map((version) => ({
    version,
    own: formatChecks(type, version, serializers),
  }));
  const current = required(checked.at(-1), "The current version of a message type");
  const [anyCheck] = current.own.values();
  // An upcast body still has the types of its format, for example dates as strings, so the schema of that format fits best.
  const checkUpcast = (serializer: string | undefined) =>
    current.version.check ?? current.own.get(serializer ?? "") ?? anyCheck;
  const isBound = (name: string) =>
    serializers.some((each) => each.name === name && each.validation === "format");
  const openedCheck = (name: string | undefined, own: ReadonlyMap<string, BodyCheck>) =>
    name === undefined || isBound(name) ? undefined : own.get(name);
  return new Map<number | undefined, KnownVersion>(
    checked.map(({ version, own }) => {
      const guards = guardsOf(version, own, serializers);
      const known: KnownVersion = {
        type,
        version,
        checkUpcast,
        guardFor: (serializer) => guards.get(serializer),
        checkOpened: (serializer) => version.check ?? guards.get(serializer) ?? openedCheck(serializer, own),
      };
      return [version.version, known] as const;
    }),
  );
}

/** The compiled schemas of a version by the serializers whose formats they are for. */
function formatChecks(
  { name: typeName }: MessageType,
  { version, schemas }: MessageVersion,
  serializers: readonly Serializer[],
): ReadonlyMap<string, BodyCheck> {
  const checks = new Map<string, BodyCheck>();
  for (const { name, compileSchema } of serializers) {
    const schema = schemas[name];
    if (schema === undefined || compileSchema === undefined) continue;
    checks.set(name, compileSchema(schema, `"${typeName}" version ${version}`));
  }
  return checks;
}

/**
 * The check for bodies in formats for which the version has no schema: its schema for another format. Formats that require a schema, such as
 * Avro, neither provide nor get such a check; theirs validates AMQP values and missing bodies if no other does.
 */
function guardsOf(
  { check }: MessageVersion,
  checks: ReadonlyMap<string, BodyCheck>,
  serializers: readonly Serializer[],
): ReadonlyMap<string | undefined, BodyCheck | undefined> {
  if (check !== undefined) return new Map();
  const free = serializers.filter(({ validation }) => validation !== "format");
  const guard = free.map(({ name }) => checks.get(name)).find((each) => each !== undefined);
  const unchecked = free.filter(({ name }) => !checks.has(name));
  const [anyCheck] = checks.values();
  return new Map([
    ...unchecked.map(({ name }) => [name, guard] as const),
    [undefined, guard ?? anyCheck] as const,
  ]);
}

function versionFailure(
  type: MessageType,
  given: number | undefined,
  { newer }: MessageTypePolicies,
): WaybillError {
  const { name, removed, unversioned } = type;
  const version = given ?? unversioned;
  if (version === undefined) {
    return decodeFailure(
      "message-version-missing",
      `The message does not say which version of ${quoted(name)} it is, and the definition does not say it either. Set its ` +
        `option unversioned, and repair the message.`,
    );
  }
  if (removed.includes(version)) {
    const implied = given === undefined ? ", as messages without a version are," : "";
    return decodeFailure(
      "message-version-removed",
      `It is of version ${version} of ${quoted(name)}${implied} which was removed here. Give the definition that version and its ` +
        `upcaster back, and repair the message.`,
    );
  }
  const known = type.versions.map((each) => each.version).join(", ");
  const text = `Version ${version} of ${quoted(name)} is not known here, which knows ${known}.`;
  return newer === "abandon" && version > type.version
    ? unavailableAt("select", text)
    : decodeFailure("message-version-unknown", text);
}
