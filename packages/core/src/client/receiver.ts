import { maxDeadLetterTextLength } from "../broker-properties.js";
import { checkApplicationProperties } from "../check-message.js";
import { isPromise } from "../deserialization/attempt.js";
import { WaybillError } from "../error.js";
import type {
  ApplicationProperties,
  ApplicationPropertyValue,
  PeekedMessage,
  ReceivedMessage,
  UndecodedMessage,
} from "../message.js";
import { steadyNow } from "../scheduler.js";
import type { Awaitable } from "../serializer.js";
import type {
  CallOptions,
  DeliveredMessage,
  ReceiveMode,
  TransportReceiver,
  TransportSessionReceiver,
} from "../transport.js";
import { DelayedAbandons } from "./delayed-abandons.js";
import {
  type Delivery,
  renewLock,
  requireDelivery,
  type SettleableMessage,
  type SettlementVerb,
  settle,
} from "./delivery.js";
import { durationMs } from "./duration.js";
import {
  Intake,
  type IntakeResult,
  type IntakeSettings,
  isUndeserializableEvent,
  type Judge,
} from "./intake.js";
import { iterateMessages, type MessageIteratorOptions } from "./message-iterator.js";
import { type ProcessedSession, Processor } from "./processor.js";
import type { MessageHandlers, MessageSubscription, SubscribeMessagesOptions } from "./processor-options.js";
import { sequenceNumberList } from "./sequence-number-list.js";
import { abandonUndecoded } from "./settle-undecoded.js";
import {
  requireHandlers,
  resolveSubscribeOptions,
  type SubscribeSurroundings,
} from "./subscribe-settings.js";
import type { UndeserializableDisposition } from "./undeserializable-event.js";
import { requireWholeNumber } from "./whole-number.js";

/** How long to wait for messages. */
export interface ReceiveMessagesOptions extends CallOptions {
  /** How long to wait for the first message, in milliseconds. Default: 60 000. */
  readonly maxWaitTimeInMs?: number;
}

/** Where to start peeking. */
export interface PeekMessagesOptions extends CallOptions {
  /** Default: after the last message this receiver peeked, at first from the beginning. */
  readonly fromSequenceNumber?: bigint;
}

/** Why a message is dead-lettered; every other name is an application property to add or overwrite. */
export interface DeadLetterMessageOptions {
  readonly deadLetterReason?: string;
  readonly deadLetterErrorDescription?: string;
  readonly [applicationProperty: string]: ApplicationPropertyValue | undefined;
}

/** What a receiver works with. */
export interface ReceiverSettings extends IntakeSettings, SubscribeSurroundings {
  /** Whether it is there for one subscription, and closes with it. */
  readonly isForSubscription: boolean;
  readonly onClosed: (receiver: Receiver<UndecodedMessage>) => void;
}

const defaultMaxWaitTimeInMs = 60_000;

/**
 * Receives from a queue, a subscription or one of their dead-letter queues, and settles what it received. Bodies arrive decoded; what
 * nobody can read is dead-lettered at its first delivery and never returned. Where that is impossible, in a dead-letter queue or in
 * receive-and-delete mode, `Undecoded` says that raw, marked messages come too.
 */
export class Receiver<Undecoded extends UndecodedMessage = never> implements AsyncDisposable {
  readonly #settings: ReceiverSettings;
  readonly #receiver: TransportReceiver;
  readonly #intake: Intake;
  readonly #abandons: DelayedAbandons;
  readonly #abandoning = new Set<Promise<void>>();
  readonly #subscriptions = new Set<Processor>();
  #peekFrom: bigint | undefined;
  #blockedBy: WaybillError | undefined;
  #closing: Promise<void> | undefined;

  /** A processor that runs beside the receiver may share its intake. */
  constructor(settings: ReceiverSettings, intake = new Intake(settings)) {
    this.#settings = settings;
    this.#receiver = settings.receiver;
    this.#intake = intake;
    this.#abandons = new DelayedAbandons(settings.scheduler, settings.backoff);
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
   * settled on the way and reported to `onUndeserializable`. Rejects with `unavailable` when something needed to read them was out of
   * reach and nothing else came.
   */
  async receiveMessages<Body = unknown>(
    maxMessageCount: number,
    options: ReceiveMessagesOptions = {},
  ): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    requireWholeNumber("maxMessageCount", maxMessageCount, 1);
    this.#requireOpen();
    const { scheduler } = this.#settings;
    const { abortSignal } = options;
    if (this.#blockedBy !== undefined) throw this.#blockedBy;
    let maxWaitTimeMs = durationMs("maxWaitTimeInMs", options.maxWaitTimeInMs, defaultMaxWaitTimeInMs);
    const untilMs = steadyNow(scheduler) + maxWaitTimeMs;
    for (;;) {
      const receiveOptions = { maxMessages: maxMessageCount, maxWaitTimeMs, abortSignal };
      const delivered = await this.#receiver.receive(receiveOptions);
      if (delivered.length === 0) return [];
      const messages = await this.#readAll(delivered);
      if (messages.length > 0) return messages as (ReceivedMessage<Body> | Undecoded)[];
      // Nothing but poison: what is behind it is still wanted, even when there is no time to wait.
      maxWaitTimeMs = Math.max(0, untilMs - steadyNow(scheduler));
    }
  }

  /**
   * Delivers messages to the handlers until the subscription or the receiver is closed. Throws `TypeError` for options no program should
   * pass, and `configuration-invalid` for `retry` where no copy can be scheduled.
   */
  subscribe<Body = unknown>(
    handlers: MessageHandlers<Body, Undecoded>,
    options: SubscribeMessagesOptions = {},
  ): MessageSubscription {
    const { abortSignal } = options;
    const settings = resolveSubscribeOptions(options, this.#settings);
    requireHandlers(handlers);
    this.#requireOpen();
    const processor = new Processor(handlers as MessageHandlers<unknown, UndecodedMessage>, {
      ...settings,
      intake: this.#intake,
      session: sessionOf(this.#receiver),
      onClosed: (closed) => {
        this.#subscriptions.delete(closed);
        abortSignal?.removeEventListener("abort", onAbort);
        if (this.#settings.isForSubscription) this.close().catch(() => {});
      },
    });
    // Closing is as good as told: a failure of it reaches whoever closes the receiver.
    const onAbort = () => void processor.close().catch(() => {});
    this.#subscriptions.add(processor);
    if (abortSignal?.aborted) onAbort();
    else abortSignal?.addEventListener("abort", onAbort, { once: true });
    return processor;
  }

  /**
   * Receives one message after the other until the receiver is closed. A message that cannot be read now is told to the client's hook and
   * comes again; the loop goes on. A message that is auto-completed is completed when the loop asks for the next one; the one that
   * could not be completed or at which the loop is left, and those received ahead, are abandoned.
   */
  getMessageIterator<Body = unknown>(
    options: MessageIteratorOptions = {},
  ): AsyncGenerator<ReceivedMessage<Body> | Undecoded, void, undefined> {
    return iterateMessages<Body, Undecoded>(this, options);
  }

  /**
   * Reads without locking: active, locked, deferred and scheduled messages in order of sequence number. A message whose body cannot be
   * read comes raw, marked by `failure`.
   */
  async peekMessages<Body = unknown>(
    maxMessageCount: number,
    options: PeekMessagesOptions = {},
  ): Promise<PeekedMessage<Body>[]> {
    requireWholeNumber("maxMessageCount", maxMessageCount, 1);
    this.#requireOpen();
    const { fromSequenceNumber = this.#peekFrom, abortSignal } = options;
    const delivered = await this.#receiver.peek({
      maxMessages: maxMessageCount,
      fromSequenceNumber,
      abortSignal,
    });
    const last = delivered.at(-1);
    if (last !== undefined) this.#peekFrom = last.sequenceNumber + 1n;
    const messages = await Promise.all(delivered.map((message) => this.#intake.readPeeked(message)));
    return messages as PeekedMessage<Body>[];
  }

  /** Receives deferred messages by number. Rejects with `message-not-found` if one is not there. */
  async receiveDeferredMessages<Body = unknown>(
    sequenceNumbers: bigint | readonly bigint[],
    options: CallOptions = {},
  ): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    const numbers = sequenceNumberList(sequenceNumbers);
    this.#requireOpen();
    if (numbers.length === 0) return [];
    const delivered = await this.#receiver.receiveDeferred(numbers, options);
    return (await this.#readAll(delivered)) as (ReceivedMessage<Body> | Undecoded)[];
  }

  /**
   * Removes the message from the entity. As every settlement, rejects with `message-lock-lost` if its lock ran out, with
   * `operation-invalid` if it was settled already.
   */
  async completeMessage(message: SettleableMessage): Promise<void> {
    await settle(requireDelivery(message, this.#receiver), "complete");
  }

  /** Gives the message back, to be delivered again at once; its delivery count rises. */
  async abandonMessage(
    message: SettleableMessage,
    propertiesToModify?: ApplicationProperties,
  ): Promise<void> {
    await this.#settleModified(message, "abandon", propertiesToModify);
  }

  /** Puts the message aside, to be received by its sequence number only. */
  async deferMessage(message: SettleableMessage, propertiesToModify?: ApplicationProperties): Promise<void> {
    await this.#settleModified(message, "defer", propertiesToModify);
  }

  /** Moves the message to the dead-letter queue. */
  async deadLetterMessage(message: SettleableMessage, options: DeadLetterMessageOptions = {}): Promise<void> {
    const { deadLetterReason, deadLetterErrorDescription, ...properties } = options;
    const delivery = requireDelivery(message, this.#receiver);
    checkText("deadLetterReason", deadLetterReason, delivery);
    checkText("deadLetterErrorDescription", deadLetterErrorDescription, delivery);
    checkApplicationProperties(properties, detailsOf(delivery));
    const propertiesToModify = properties as ApplicationProperties;
    await settle(delivery, "deadLetter", {
      deadLetterReason,
      deadLetterErrorDescription,
      propertiesToModify,
    });
  }

  /** Extends the message's lock by the entity's lock duration and resolves with its new end. */
  async renewMessageLock(message: SettleableMessage): Promise<Date> {
    return renewLock(requireDelivery(message, this.#receiver));
  }

  /**
   * Closes its subscriptions, waiting for the handlers that run, and then the receiver. Messages that are received and not settled stay
   * locked until their locks run out.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    try {
      await Promise.all(Array.from(this.#subscriptions, (subscription) => subscription.close()));
      this.#abandons.flush();
      await Promise.all(this.#abandoning);
    } finally {
      this.#intake.renewal.stop();
      this.#settings.onClosed(this as Receiver<UndecodedMessage>);
      await this.#receiver.close();
    }
  }

  async #readAll(delivered: readonly DeliveredMessage[]): Promise<(ReceivedMessage | UndecodedMessage)[]> {
    const { renewForMs, isBlocking } = this.#settings;
    const deliveries = delivered.map((message) => this.#intake.open(message, renewForMs, ignoreRenewalError));
    if (isBlocking) return this.#readUntilBlocked(delivered, deliveries);
    const readings: Awaitable<IntakeResult>[] = [];
    let isWaiting = false;
    for (let i = 0; i < delivered.length; i += 1) {
      const reading = this.#intake.read(delivered[i]!, deliveries[i], undefined);
      isWaiting ||= isPromise(reading);
      readings.push(reading);
    }
    const results = isWaiting ? await Promise.all(readings) : (readings as IntakeResult[]);
    return this.#conclude(results);
  }

  /** What lies behind the message at which the session stops stays locked and unread. */
  async #readUntilBlocked(
    delivered: readonly DeliveredMessage[],
    deliveries: readonly (Delivery | undefined)[],
  ): Promise<(ReceivedMessage | UndecodedMessage)[]> {
    if (this.#blockedBy !== undefined) throw this.#blockedBy;
    const results: IntakeResult[] = [];
    for (let i = 0; i < delivered.length && this.#blockedBy === undefined; i += 1) {
      const result = await this.#intake.read(delivered[i]!, deliveries[i], blocking);
      if (isUndeserializableEvent(result) && result.disposition === "blocked") this.#blockedBy = result.error;
      results.push(result);
    }
    return this.#conclude(results);
  }

  /** Reports what could not be read. Throws its error when nothing else came and the message is still in the entity. */
  #conclude(results: readonly IntakeResult[]): (ReceivedMessage | UndecodedMessage)[] {
    const messages: (ReceivedMessage | UndecodedMessage)[] = [];
    let failure: unknown;
    for (const result of results) {
      if (!isUndeserializableEvent(result)) {
        messages.push(result);
        continue;
      }
      this.#settings.onUndeserializable(result);
      const { disposition, message, error, settlementError } = result;
      if (disposition === "handedOver") messages.push(message);
      else if (disposition === "abandoned") this.#abandonLater(message.settlement as Delivery);
      if (stillThere.has(disposition)) failure ??= settlementError ?? error;
    }
    if (messages.length === 0 && failure !== undefined) throw failure;
    return messages;
  }

  /** The call has returned long before the back-off ends; if abandoning fails, the lock runs out and does the same. */
  #abandonLater(delivery: Delivery): void {
    const abandoning = abandonUndecoded(delivery, this.#abandons, () => {}).then(() => {
      this.#abandoning.delete(abandoning);
    });
    this.#abandoning.add(abandoning);
  }

  async #settleModified(
    message: SettleableMessage,
    verb: SettlementVerb,
    propertiesToModify: ApplicationProperties | undefined,
  ): Promise<void> {
    const delivery = requireDelivery(message, this.#receiver);
    if (propertiesToModify === undefined) return settle(delivery, verb);
    checkApplicationProperties(propertiesToModify, detailsOf(delivery));
    return settle(delivery, verb, { propertiesToModify });
  }

  #requireOpen(): void {
    if (!this.isClosed) return;
    throw new WaybillError("closed", "The receiver is closed.", { entityPath: this.entityPath });
  }
}

/** Settling tells whoever received the message: it rejects with `message-lock-lost`. */
function ignoreRenewalError(): void {}

/** What became of unread messages that are still in the entity. */
const stillThere: ReadonlySet<UndeserializableDisposition> = new Set(["abandoned", "unsettled", "blocked"]);

/** In a session that stops at what nobody can read, nothing is dead-lettered. */
const blocking: Judge = { onDecoded: () => {}, onUndeserializable: () => "block" };

function sessionOf(receiver: TransportReceiver | TransportSessionReceiver): ProcessedSession | undefined {
  return "sessionId" in receiver ? { sessionId: receiver.sessionId, keeper: undefined } : undefined;
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
