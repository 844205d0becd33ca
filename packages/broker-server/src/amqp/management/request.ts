import { Buffer } from "node:buffer";
import { AmqpMap, type AmqpValue, isTyped } from "@waybill/amqp";
import { uuidText } from "@waybill/amqp/server";
import type { Broker, Transaction } from "@waybill/broker";
import type { MessageReceiver } from "@waybill/broker/front-end";
import { dateOf, textOf } from "../../messages/application-properties.js";
import { badRequest, limitExceeded } from "../../refusals/error.js";
import type { SessionHolders } from "../session-holders.js";

/** A request to the management node of an entity. */
export interface ManagementRequest {
  readonly broker: Broker;
  readonly sessions: SessionHolders;
  /** Path of the entity or sub-queue. */
  readonly path: string;
  readonly body: RequestBody;
  /** Maximum bytes of messages in a response. */
  readonly maxAnswerBytes: number;
  /** Waits for the next turn if the current one is over. */
  readonly pause: () => Promise<void>;
  /** The transaction that the request was sent under. */
  readonly transaction: Transaction | undefined;
}

/** The response; a status other than 200 may have an error condition. */
export interface ManagementReply {
  readonly statusCode: number;
  readonly body?: Readonly<Record<string, AmqpValue>>;
  readonly errorCondition?: string;
}

/** The map in a request, read with the types that SDKs write. Every method throws `argument-error`. */
export class RequestBody {
  readonly #map: AmqpMap;
  readonly #maxItems: number;

  /** A list in it may have at most `maxItems` items. */
  constructor(body: AmqpValue | undefined, maxItems: number) {
    this.#maxItems = maxItems;
    if (body !== undefined && body !== null && !(body instanceof AmqpMap)) {
      throw badRequest("The body of a management request is a map.");
    }
    this.#map = body ?? new AmqpMap();
  }

  /** A string, or `undefined` if it is absent or null. */
  optionalText(name: string): string | undefined {
    return valueIn(this.#map, name, "a string", textOf);
  }

  text(name: string): string {
    return this.optionalText(name) ?? missing(name);
  }

  /** A boolean; false if it is absent or null. */
  flag(name: string): boolean {
    const toFlag = (value: AmqpValue) => (typeof value === "boolean" ? value : undefined);
    return valueIn(this.#map, name, "a boolean", toFlag) ?? false;
  }

  /** An integer of any AMQP integer type, or `undefined`. */
  optionalInteger(name: string): bigint | undefined {
    return valueIn(this.#map, name, "an integer", integerOf);
  }

  /** An integer from 1 to the maximum count of a call. */
  count(name: string): number {
    return this.optionalCount(name, 1n) ?? missing(name);
  }

  /** An integer from `min` to the maximum count of a call, or `undefined`. */
  optionalCount(name: string, min = 0n): number | undefined {
    const value = this.optionalInteger(name);
    if (value === undefined) return undefined;
    if (value < min || value > 2_147_483_647n) throw badRequest(`'${name}' is not a number of items.`);
    return Number(value);
  }

  optionalDate(name: string): Date | undefined {
    const ms = valueIn(this.#map, name, "a timestamp", (value) =>
      isTyped(value) && value.type === "timestamp" ? value.value : undefined,
    );
    return ms === undefined ? undefined : (dateOf(ms) ?? wrongType(name, "within the range of dates"));
  }

  optionalMap(name: string): AmqpMap | undefined {
    return mapIn(this.#map, name);
  }

  /** Binary, or `undefined` for null. */
  optionalBytes(name: string): Uint8Array | undefined {
    return valueIn(this.#map, name, "binary", (value) =>
      value instanceof Uint8Array ? Buffer.from(value) : undefined,
    );
  }

  integers(name: string): bigint[] {
    return this.items(name).map((item) => integerOf(item) ?? wrongType(name, "an array of integers"));
  }

  /** Lock tokens in text form. */
  uuids(name: string): string[] {
    return this.items(name).map((item) =>
      isTyped(item) && item.type === "uuid" ? uuidText(item) : wrongType(name, "an array of uuids"),
    );
  }

  /** The items of a list or array; SDKs use either. */
  items(name: string): readonly AmqpValue[] {
    const value = this.#map.get(name) ?? missing(name);
    const items = isTyped(value) && value.type === "array" ? value.values : value;
    if (!Array.isArray(items)) return wrongType(name, "a list or array");
    if (items.length > this.#maxItems) {
      throw limitExceeded(
        `'${name}' has ${items.length} items, and a request has at most ${this.#maxItems}.`,
      );
    }
    return items;
  }
}

/** The map of a name in another one, or `undefined` if it is absent or null. Throws `argument-error`. */
export function mapIn(map: AmqpMap, name: string): AmqpMap | undefined {
  return valueIn(map, name, "a map", (value) => (value instanceof AmqpMap ? value : undefined));
}

function valueIn<Value>(
  map: AmqpMap,
  name: string,
  expected: string,
  read: (value: AmqpValue) => Value | undefined,
): Value | undefined {
  const value = map.get(name) ?? null;
  return value === null ? undefined : (read(value) ?? wrongType(name, expected));
}

/**
 * The receiver for a request: that of its session, else one on the entity. SDKs send the session id of every message that has one, even for
 * entities without sessions.
 */
export function receiverOf(
  { broker, sessions, path, body }: ManagementRequest,
  mode?: MessageReceiver["mode"],
): MessageReceiver {
  const sessionId = body.optionalText("session-id");
  const receiver = broker.receiver(path, { mode });
  return sessionId === undefined || !receiver.hasSessions ? receiver : sessions.require(path, sessionId);
}

/**
 * The receiver to use locks with: messages of a session can be settled only by the holder of the session, even if others know their tokens.
 * Throws `session-lock-lost`.
 */
export function holderOf(request: ManagementRequest): MessageReceiver {
  const { broker, sessions, path, body } = request;
  const isNamed = body.optionalText("session-id") !== undefined;
  return isNamed || !broker.receiver(path).hasSessions ? receiverOf(request) : sessions.require(path, "");
}

function integerOf(value: AmqpValue): bigint | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : undefined;
  if (!isTyped(value)) return undefined;
  const isInteger = /^u?(?:byte|short|int|long)$/.test(value.type);
  return isInteger && "value" in value ? BigInt(value.value as number | bigint) : undefined;
}

function missing(name: string): never {
  throw badRequest(`The request has no '${name}'.`);
}

function wrongType(name: string, expected: string): never {
  throw badRequest(`'${name}' is not ${expected}.`);
}
