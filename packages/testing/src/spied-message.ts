import type { BrokerReceivedMessage, MessageId } from "@waybill/broker";

/**
 * What a spy records of a message: that it arrived in a queue or subscription (`sent`), was sent to a topic (`published`), was completed or received
 * and deleted (`consumed`), was given back by its consumer (`faulted`), or was dead-lettered.
 */
export type SpyKind = "sent" | "published" | "consumed" | "faulted" | "deadLettered";

/** A recorded message; `Body` is the type of its body, if it was asked for by its definition. */
export interface SpiedMessage<Body = unknown> {
  /** Path of the queue, subscription or topic. */
  readonly entity: string;
  readonly messageId: MessageId | undefined;
  readonly sequenceNumber: bigint;
  readonly sessionId: string | undefined;
  /** By the broker's clock. */
  readonly at: Date;
  /** Why it was dead-lettered, or how it was given back: `abandoned` or `lock-expired`. */
  readonly reason: string | undefined;
  /** The description of the reason why it was dead-lettered. */
  readonly description: string | undefined;
  /** Failed deliveries before this was recorded. */
  readonly deliveryCount: number;
  /** The message as the broker had it at that moment. */
  readonly message: BrokerReceivedMessage;
  /** The value that the namespace's clients read; undefined if none of them can read the body. */
  readonly body: Body;
  /** The name of its message type; undefined if it has none that the clients know. */
  readonly messageType: string | undefined;
}

/** The part of a message type by which its messages are found: `Body` is the type of their bodies. */
export interface SpiedType<Body> {
  readonly name: string;
  /** Only for types. */
  readonly "~types"?: { readonly body: Body } | undefined;
}

/** Whether a message is wanted, by the value of its body. */
export type SpyPredicate<Body> = (body: Body, message: SpiedMessage<Body>) => boolean;

/**
 * Lists recorded messages, in order: of one entity or of all, of one message type or of all, those that a predicate accepts or all. Throws `TypeError`
 * if the entity does not exist: a misspelt name is never an empty list.
 */
export interface SpyList {
  <Body = unknown>(entity?: string, where?: SpyPredicate<Body>): readonly SpiedMessage<Body>[];
  <Body>(entity: string, type: SpiedType<Body>, where?: SpyPredicate<Body>): readonly SpiedMessage<Body>[];
  <Body>(type: SpiedType<Body>, where?: SpyPredicate<Body>): readonly SpiedMessage<Body>[];
  <Body = unknown>(where: SpyPredicate<Body>): readonly SpiedMessage<Body>[];
}

/** What a spy is asked for. */
export interface SpyQuery {
  readonly entity: string | undefined;
  readonly type: SpiedType<unknown> | undefined;
  readonly where: ((body: never, message: never) => boolean) | undefined;
}

/** Options of waiting for messages. */
export interface WaitForOptions<Body = unknown> {
  /** How many messages. Default 1. */
  readonly count?: number | undefined;
  /** In milliseconds of real time, independent of the broker's clock. Default 5,000. */
  readonly timeoutInMs?: number | undefined;
  /** Only messages of this type. Default all. */
  readonly type?: SpiedType<Body> | undefined;
  /** Only messages that it accepts. Default all. */
  readonly where?: SpyPredicate<Body> | undefined;
}
