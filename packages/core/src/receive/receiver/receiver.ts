import {
  durationMs,
  type OptionNames,
  onAbort,
  pause,
  requireInteger,
  requireKnownOptions,
  steadyNowOf,
  underEither,
} from "@waybill/foundation";
import type { SettleableMessage, SettlementVerb } from "../../contracts/settlement.js";
import type {
  CallOptions,
  ModifyingOptions,
  OutcomeOptions,
  ReceiveMode,
  TransportReceiver,
} from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import { maxDeadLetterTextLength } from "../../message/broker-properties.js";
import { checkApplicationProperties } from "../../message/check-message.js";
import type {
  ApplicationProperties,
  ApplicationPropertyValue,
  PeekedMessage,
  ReceivedMessage,
  UndecodedMessage,
} from "../../message/message.js";
import { sequenceNumberList } from "../../message/sequence-number-list.js";
import { type Delivery, requireDelivery } from "../delivery/delivery.js";
import { peek, receive, receiveDeferred } from "../delivery/observed-calls.js";
import { readPeeked } from "../delivery/read-delivery.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import { Processor } from "../processing/processor.js";
import type {
  MessageHandlers,
  MessageSubscription,
  SubscribeMessagesOptions,
} from "../processing/processor-options.js";
import { requireHandlers, resolveSubscribeOptions } from "../processing/subscribe-settings.js";
import { CallReading } from "./call-reading.js";
import { iterateMessages, type MessageIteratorOptions } from "./message-iterator.js";

/** Options of `receiveMessages`. */
export interface ReceiveMessagesOptions extends CallOptions {
  /** How long to wait for the first message, in milliseconds. Default: 60 000. */
  readonly maxWaitTimeInMs?: number;
}

/** Options of `peekMessages`. */
export interface PeekMessagesOptions extends CallOptions {
  /** The sequence number to start from. Default: after the last message that this receiver peeked, at first the beginning. */
  readonly fromSequenceNumber?: bigint;
}

/** Why a message is dead-lettered; all other properties are application properties to add or overwrite. */
export interface DeadLetterMessageOptions {
  /** At most 4096 characters. Default: none. */
  readonly deadLetterReason?: string;
  /** At most 4096 characters. Default: none. */
  readonly deadLetterErrorDescription?: string;
  readonly [applicationProperty: string]: ApplicationPropertyValue | undefined;
}

/** The client or the session that a receiver belongs to. */
export interface ReceiverOwner {
  /** Whether it was created for one subscription, and closes with it. */
  readonly isForSubscription: boolean;
  readonly onClosed: (receiver: Receiver<UndecodedMessage>) => void;
}

const defaultMaxWaitTimeInMs = 60_000;

const receiveOptionNames: OptionNames<ReceiveMessagesOptions> = { maxWaitTimeInMs: true, abortSignal: true };
const peekOptionNames: OptionNames<PeekMessagesOptions> = { fromSequenceNumber: true, abortSignal: true };

/**
 * Receives from a queue, a subscription or one of their dead-letter queues, and settles the received messages. Bodies are decoded;
 * undeserializable messages are dead-lettered at their first delivery and not returned. Where that is impossible, in a dead-letter queue
 * or in receive-and-delete mode, they are returned as `Undecoded`, with their raw body.
 */
export class Receiver<Undecoded extends UndecodedMessage = never> implements AsyncDisposable {
  readonly #context: ReceiverContext;
  readonly #owner: ReceiverOwner;
  readonly #receiver: TransportReceiver;
  /** Created by the first call that receives, because a session with a processor needs none. */
  #calls: CallReading | undefined;
  readonly #subscriptions = new Set<Processor>();
  #peekFrom: bigint | undefined;
  #closing: Promise<void> | undefined;

  constructor(context: ReceiverContext, owner: ReceiverOwner) {
    this.#context = context;
    this.#owner = owner;
    this.#receiver = context.receiver;
  }

  /** The path of the queue, subscription or dead-letter queue. */
  get entityPath(): string {
    return this.#receiver.entityPath;
  }

  get receiveMode(): ReceiveMode {
    return this.#receiver.receiveMode;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Resolves with 1 to `maxMessageCount` messages as soon as there are any, or with none after the wait. Undeserializable messages are
   * settled and reported to `onUndeserializable`. If no message could be read, rejects with `unavailable` when a dependency is unavailable,
   * and with `deserialization-failed` when the client has decoded nothing yet and can read none of the waiting messages; the messages stay
   * locked, and the next call reads them again.
   */
  async receiveMessages<Body = unknown>(
    maxMessageCount: number,
    options: ReceiveMessagesOptions = {},
  ): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    requireInteger("maxMessageCount", maxMessageCount, 1);
    requireKnownOptions("receiveMessages", options, receiveOptionNames);
    this.#requireOpen();
    const { scheduler } = this.#context;
    this.#reading.requireUnblocked();
    const maxWaitTimeInMs = durationMs("maxWaitTimeInMs", options.maxWaitTimeInMs, defaultMaxWaitTimeInMs);
    const untilMs = steadyNowOf(scheduler) + maxWaitTimeInMs;
    for (let leftMs = maxWaitTimeInMs; ; ) {
      const isAlone = this.#reading.held.isEmpty;
      const messages = isAlone
        ? await this.#receive(maxMessageCount, leftMs, options)
        : await this.#receiveBesideHeld(maxMessageCount, leftMs, options);
      if (messages !== undefined && messages.length > 0)
        return messages as (ReceivedMessage<Body> | Undecoded)[];
      leftMs = Math.max(0, untilMs - steadyNowOf(scheduler));
      // All were undeserializable: receive the messages behind them, even if the time is up.
      if (messages === undefined && (isAlone || leftMs === 0)) return this.#endWithout();
    }
  }

  /**
   * Delivers messages to the handlers until the subscription or the receiver is closed. Throws `TypeError` for invalid options,
   * `configuration-invalid` for `retry` where no copy can be scheduled and for `prefetchCount` in receive-and-delete mode, `closed` once
   * the receiver is closed.
   */
  subscribe<Body = unknown>(
    handlers: MessageHandlers<Body, Undecoded>,
    options: SubscribeMessagesOptions = {},
  ): MessageSubscription {
    const resolved = resolveSubscribeOptions(options, this.#context);
    requireHandlers(handlers);
    this.#requireOpen();
    let stopListening = () => {};
    const processor = new Processor(this.#context, handlers as MessageHandlers<unknown, UndecodedMessage>, {
      ...resolved,
      keeper: undefined,
      onClosed: (closed) => {
        this.#subscriptions.delete(closed);
        stopListening();
        if (this.#owner.isForSubscription) this.close().catch(() => {});
      },
    });
    this.#subscriptions.add(processor);
    // Errors of this close are ignored here; closing the receiver reports them.
    stopListening = onAbort(options.abortSignal, () => void processor.close().catch(() => {}));
    return processor;
  }

  /**
   * Receives one message after the other until the receiver is closed. A message whose dependency is unavailable is reported to the client's hook
   * and read again later; the loop continues. While the circuit breaker holds what cannot be deserialized, and nothing else is there, it throws
   * `deserialization-failed`; a new loop reads it again. With `autoCompleteMessages`, a message is completed when the loop requests the next one. If that
   * fails or the loop ends early, the current message and prefetched ones are abandoned.
   */
  getMessageIterator<Body = unknown>(
    options: MessageIteratorOptions = {},
  ): AsyncGenerator<ReceivedMessage<Body> | Undecoded, void, undefined> {
    return iterateMessages<Body, Undecoded>(this, options);
  }

  /**
   * Reads active, locked, deferred and scheduled messages without locking them, in order of sequence number. A message whose body cannot
   * be read is returned with its raw body and `failure`. Rejects with `TypeError` for an invalid count or option, `closed` once the
   * receiver is closed.
   */
  async peekMessages<Body = unknown>(
    maxMessageCount: number,
    options: PeekMessagesOptions = {},
  ): Promise<PeekedMessage<Body>[]> {
    requireInteger("maxMessageCount", maxMessageCount, 1);
    requireKnownOptions("peekMessages", options, peekOptionNames);
    this.#requireOpen();
    const { fromSequenceNumber = this.#peekFrom, abortSignal } = options;
    const delivered = await peek(this.#context, {
      maxMessages: maxMessageCount,
      fromSequenceNumber,
      abortSignal,
    });
    const last = delivered.at(-1);
    if (last !== undefined) this.#peekFrom = last.sequenceNumber + 1n;
    const messages = await Promise.all(delivered.map((message) => readPeeked(this.#context, message)));
    return messages as PeekedMessage<Body>[];
  }

  /** Receives deferred messages by sequence number. Rejects with `message-not-found` if one does not exist. */
  async receiveDeferredMessages<Body = unknown>(
    sequenceNumbers: bigint | readonly bigint[],
    options: CallOptions = {},
  ): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    const numbers = sequenceNumberList(sequenceNumbers);
    this.#requireOpen();
    if (numbers.length === 0) return [];
    const { found, messages } = this.#reading.held.readDeferred(numbers);
    const missing = numbers.filter((number) => !found.includes(number));
    const readable = await messages;
    const delivered = missing.length === 0 ? [] : await receiveDeferred(this.#context, missing, options);
    const received = delivered.length === 0 ? [] : await this.#reading.read(delivered, { isDeferred: true });
    return [...readable, ...received] as (ReceivedMessage<Body> | Undecoded)[];
  }

  /**
   * Removes the message from the entity. Like every settlement, rejects with `message-lock-lost` if its lock expired, with
   * `operation-invalid` if it was settled already.
   */
  async completeMessage(message: SettleableMessage): Promise<void> {
    await requireDelivery(message, this.#receiver).settle("complete");
  }

  /** Releases the message, so that it is delivered again at once with a higher delivery count. */
  async abandonMessage(
    message: SettleableMessage,
    propertiesToModify?: ApplicationProperties,
  ): Promise<void> {
    await this.#settleModified(message, "abandon", propertiesToModify);
  }

  /** Defers the message, which can then only be received by its sequence number. */
  async deferMessage(message: SettleableMessage, propertiesToModify?: ApplicationProperties): Promise<void> {
    await this.#settleModified(message, "defer", propertiesToModify);
  }

  /**
   * Moves the message to the dead-letter queue. Also rejects with `operation-invalid` for a reason or description of more than 4096
   * characters and for an invalid application property.
   */
  async deadLetterMessage(message: SettleableMessage, options: DeadLetterMessageOptions = {}): Promise<void> {
    const { deadLetterReason, deadLetterErrorDescription, ...properties } = options;
    const delivery = requireDelivery(message, this.#receiver);
    checkText("deadLetterReason", deadLetterReason, delivery);
    checkText("deadLetterErrorDescription", deadLetterErrorDescription, delivery);
    checkApplicationProperties(properties, detailsOf(delivery));
    const propertiesToModify = properties as ApplicationProperties;
    await delivery.settle("deadLetter", {
      deadLetterReason,
      deadLetterErrorDescription,
      propertiesToModify,
    } satisfies OutcomeOptions);
  }

  /**
   * Renews the message's lock for the entity's lock duration and resolves with its new expiry. Rejects with `message-lock-lost` if it has
   * expired, with `operation-invalid` for a message without a lock of this receiver. In a session, renew the session's lock instead.
   */
  async renewMessageLock(message: SettleableMessage): Promise<Date> {
    return requireDelivery(message, this.#receiver).renew();
  }

  /**
   * Closes its subscriptions, waiting for running handlers, and then the receiver. Messages that were received but not settled stay locked
   * until their locks expire.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #reading(): CallReading {
    this.#calls ??= new CallReading(this.#context);
    return this.#calls;
  }

  async #close(): Promise<void> {
    // Pending calls would otherwise wait for the rest of their time.
    this.#calls?.stopWaiting();
    try {
      await Promise.all(Array.from(this.#subscriptions, (subscription) => subscription.close()));
      await this.#calls?.close();
    } finally {
      this.#context.renewal.stop();
      this.#owner.onClosed(this as Receiver<UndecodedMessage>);
      await this.#receiver.close();
    }
  }

  /** Undefined when no message arrived in time. */
  async #receive(
    maxMessages: number,
    maxWaitTimeInMs: number,
    { abortSignal }: ReceiveMessagesOptions,
  ): Promise<(ReceivedMessage | UndecodedMessage)[] | undefined> {
    const delivered = await receive(this.#context, { maxMessages, maxWaitTimeInMs, abortSignal });
    return delivered.length === 0 ? undefined : this.#reading.read(delivered, { isDeferred: false });
  }

  /** Reads held messages again, and receives more while there is room, until it is time to read the held ones again. */
  async #receiveBesideHeld(
    maxMessages: number,
    leftMs: number,
    options: ReceiveMessagesOptions,
  ): Promise<(ReceivedMessage | UndecodedMessage)[] | undefined> {
    this.#context.session?.keep();
    const messages = await this.#reading.held.readAgain(maxMessages);
    if (messages.length > 0) return messages;
    this.#reading.requireUnblocked();
    const waitMs = Math.min(leftMs, this.#reading.held.delayMs);
    if (!this.#reading.held.isFull) return this.#receive(maxMessages, waitMs, options);
    if (waitMs > 0) await this.#pause(waitMs, options.abortSignal);
    return undefined;
  }

  async #pause(durationMs: number, abortSignal: AbortSignal | undefined): Promise<void> {
    await underEither(this.#reading.closing, abortSignal, (signal) =>
      pause(durationMs, this.#context.scheduler, signal),
    );
    this.#requireOpen();
    if (abortSignal?.aborted) {
      throw new WaybillError("aborted", "The call was aborted.", { entityPath: this.entityPath });
    }
  }

  /** Throws the reason if a held message could not be read. */
  #endWithout(): [] {
    const { error } = this.#reading.held;
    if (error !== undefined) throw error;
    return [];
  }

  async #settleModified(
    message: SettleableMessage,
    verb: SettlementVerb,
    propertiesToModify: ApplicationProperties | undefined,
  ): Promise<void> {
    const delivery = requireDelivery(message, this.#receiver);
    if (propertiesToModify === undefined) return delivery.settle(verb);
    checkApplicationProperties(propertiesToModify, detailsOf(delivery));
    return delivery.settle(verb, { propertiesToModify } satisfies ModifyingOptions);
  }

  #requireOpen(): void {
    if (!this.isClosed) return;
    throw new WaybillError("closed", "The receiver is closed.", { entityPath: this.entityPath });
  }
}

function checkText(name: string, text: string | undefined, delivery: Delivery): void {
  if (text === undefined || text.length <= maxDeadLetterTextLength) return;
  throw new WaybillError(
    "operation-invalid",
    `${name} must have at most ${maxDeadLetterTextLength} characters; got ${text.length}.`,
    detailsOf(delivery),
  );
}

function detailsOf({ message, receiver }: Delivery) {
  return { messageId: message.messageId, entityPath: receiver.entityPath };
}
