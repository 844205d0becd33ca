import type { ApplicationProperties, MessageTypeResolver } from "@waybill/core";
import type { RepliableMessage } from "@waybill/core/request-reply";
import type { EncodedBody, WritableProperties } from "@waybill/core/transport";
import { hex } from "@waybill/foundation";

/** What an envelope reads: the properties of a message, and its body if the body contains the type. */
export interface EnvelopedMessage {
  readonly contentType?: string | undefined;
  readonly subject?: string | undefined;
  readonly messageId?: unknown;
  readonly correlationId?: unknown;
  readonly replyTo?: string | undefined;
  readonly applicationProperties?: ApplicationProperties | undefined;
  /** The body on the wire: `rawBody` of received messages, `body` of messages to send. */
  readonly rawBody?: EncodedBody | undefined;
}

/** The metadata of a message of another bus, in one form for all buses. Members are undefined if the message does not have them. */
export interface EnvelopeFacts {
  /** The bus's id of the message, which is not always the native `messageId`. */
  readonly messageId: string | undefined;
  /** Every type of the message, the most derived first, as the bus writes it. */
  readonly types: readonly string[];
  readonly correlationId: string | undefined;
  readonly conversationId: string | undefined;
  /** Where the sender expects the reply: a queue's name or an address. */
  readonly replyTo: string | undefined;
  readonly sentAt: Date | undefined;
}

/**
 * How messages of another bus carry their type. Pass it to clients as `messageTypeResolver`. A message of an unknown type is dead-lettered
 * (`message-type-unknown`) and never reaches the handler of another type.
 */
export interface Envelope extends MessageTypeResolver {
  /** Names the bus, such as `"NServiceBus"`. */
  readonly name: string;
  /** Whether a message is one of this bus, by its properties or content type. */
  recognises(message: EnvelopedMessage): boolean;
  /** The metadata of the message. */
  facts(message: EnvelopedMessage): EnvelopeFacts;
  /** The properties to pass to `client.reply(request, body, { properties })`, so that the bus recognises the reply. */
  replyProperties(request: RepliableMessage & EnvelopedMessage): WritableProperties;
}

/** Names of types: the name on the bus on the left, your name on the right. */
export type TypeNames = Readonly<Record<string, string>>;

/** Options that every envelope takes. */
export interface EnvelopeOptions {
  /**
   * The message types by their names on the bus: `{ "Shop.Contracts.OrderPlaced": "order-placed" }`. A type that is not listed keeps its name on
   * the bus, which may be an alias of a message type. Default: none.
   */
  readonly types?: TypeNames | undefined;
}

/** Translates type names, both ways. Throws `TypeError` for types that are not names. */
export function typeTable(types: TypeNames = {}, normal: (name: string) => string = (name) => name) {
  const local = new Map<string, string>();
  const foreign = new Map<string, string>();
  for (const [theirs, ours] of Object.entries(types)) {
    if (typeof ours !== "string" || ours === "")
      throw new TypeError("envelope: types must map type names to type names.");
    local.set(normal(theirs), ours);
    if (!foreign.has(ours)) foreign.set(ours, theirs);
  }
  return {
    /** Your name for the first bus name that is listed; otherwise the first bus name itself. */
    toLocal(names: readonly string[]): string | undefined {
      for (const name of names) {
        const known = local.get(normal(name));
        if (known !== undefined) return known;
      }
      const [first] = names;
      return first === undefined ? undefined : normal(first);
    },
    /** The bus's name of one of yours. */
    toForeign: (name: string): string => foreign.get(name) ?? name,
  };
}

/** A member that is a non-empty string and not inherited. */
export function textMember(object: object = {}, name: string): string | undefined {
  const value: unknown = Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a value is a JSON object, not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** An id of any AMQP type, as text. */
export function idText(id: unknown): string | undefined {
  if (id instanceof Uint8Array) return hex(id);
  return id === undefined || id === null || id === "" ? undefined : String(id);
}

/** Parses an instant; undefined for an invalid text. */
export function instantOf(text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

/** Generated ids of messages without one, so that properties and envelope get the same id. */
const newIds = new WeakMap<object, string>();

/** The message's id, or a generated one. */
export function messageIdOf(message: WritableProperties): string {
  const own = idText(message.messageId);
  if (own !== undefined) return own;
  const made = newIds.get(message) ?? globalThis.crypto.randomUUID();
  newIds.set(message, made);
  return made;
}
