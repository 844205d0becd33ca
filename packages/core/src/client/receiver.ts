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
import type { Awaitable } from "../serializer.js";
import type { CallOptions, DeliveredMessage, ReceiveMode, TransportReceiver } from "../transport.js";
import { DelayedAbandons, type UnavailableBackoff } from "./delayed-abandons.js";
import {
  type Delivery,
  renewLock,
  requireDelivery,
  type SettleableMessage,
  type SettlementVerb,
  settle,
} from "./delivery.js";
import { durationMs } from "./duration.js";
import { Intake, type IntakeResult, type IntakeSettings, isUndeserializableEvent } from "./intake.js";
import {
  defaultSubscribeOptions,
  type MessageHandlers,
  type MessageSubscription,
  Processor,
  type SubscribeMessagesOptions,
} from "./processor.js";
import { abandonUndecoded } from "./settle-undecoded.js";
import type { UndeserializableEvent } from "./undeserializable-event.js";

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
export interface ReceiverSettings extends IntakeSettings {
  readonly renewForMs: number;
  readonly backoff: Required<UnavailableBackoff>;
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
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
  #closing: Promise<void> | undefined;

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
    this.#receiver = settings.receiver;
    this.#intake = new Intake(settings);
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
    requireCount(maxMessageCount);
    this.#requireOpen();
    const { scheduler } = this.#settings;
    const { abortSignal } = options;
    let maxWaitTimeMs = durationMs("maxWaitTimeInMs", options.maxWaitTimeInMs, defaultMaxWaitTimeInMs);
    const untilMs = scheduler.now() + maxWaitTimeMs;
    for (;;) {
      const receiveOptions = { maxMessages: maxMessageCount, maxWaitTimeMs, abortSignal };
      const delivered = await this.#receiver.receive(receiveOptions);
      if (delivered.length === 0) return [];
      const messages = await this.#readAll(delivered);
      if (messages.length > 0) return messages as (ReceivedMessage<Body> | Undecoded)[];
      // Nothing but poison: what is behind it is still wanted, even when there is no time to wait.
      maxWaitTimeMs = Math.max(0, untilMs - scheduler.now());
    }
  }

  /** Delivers messages to the handlers until the subscription or the receiver is closed. */
  subscribe<Body = unknown>(
    handlers: MessageHandlers<Body, Undecoded>,
    options: SubscribeMessagesOptions = {},
  ): MessageSubscription {
    const { maxConcurrentCalls = defaultSubscribeOptions.maxConcurrentCalls, abortSignal } = options;
    requireHandlers(handlers);
    requireCount(maxConcurrentCalls);
    const { scheduler, backoff, renewForMs, onUndeserializable } = this.#settings;
    this.#requireOpen();
    const processor = new Processor(handlers as MessageHandlers<unknown, UndecodedMessage>, {
      intake: this.#intake,
      abandons: new DelayedAbandons(scheduler, backoff),
      maxConcurrentCalls,
      isAutoCompleting: options.autoCompleteMessages ?? defaultSubscribeOptions.autoCompleteMessages,
      renewForMs: durationMs(
        "maxAutoLockRenewalDurationInMs",
        options.maxAutoLockRenewalDurationInMs,
        renewForMs,
      ),
      onUndeserializable,
      onClosed: (closed) => {
        this.#subscriptions.delete(closed);
        abortSignal?.removeEventListener("abort", onAbort);
      },
    });
    // Closing is as good as told: a failure of it reaches whoever closes the receiver.
    const onAbort = () => void processor.close().catch(() => {});
    this.#subscriptions.add(processor);
    if (abortSignal?.aborted) onAbort();
    else abortSignal?.addEventListener("abort", onAbort, { once: true });
    return processor;
  }

  /** Receives one message after the other until the receiver is closed; settling them is up to the loop. */
  async *getMessageIterator<Body = unknown>(
    options: ReceiveMessagesOptions = {},
  ): AsyncGenerator<ReceivedMessage<Body> | Undecoded, void, undefined> {
    while (!this.isClosed) {
      try {
        yield* await this.receiveMessages<Body>(1, options);
      } catch (error) {
        if (this.isClosed && error instanceof WaybillError && error.code === "closed") return;
        throw error;
      }
    }
  }

  /**
   * Reads without locking: active, locked, deferred and scheduled messages in order of sequence number. A message whose body cannot be
   * read comes raw, marked by `failure`.
   */
  async peekMessages<Body = unknown>(
    maxMessageCount: number,
    options: PeekMessagesOptions = {},
  ): Promise<PeekedMessage<Body>[]> {
    requireCount(maxMessageCount);
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
    const numbers = typeof sequenceNumbers === "bigint" ? [sequenceNumbers] : sequenceNumbers;
    this.#requireOpen();
    if (numbers.length === 0) return [];
    const delivered = await this.#receiver.receiveDeferred(numbers, options);
    return (await this.#readAll(delivered)) as (ReceivedMessage<Body> | Undecoded)[];
  }

  /** Removes the message from the entity. Rejects with `message-lock-lost` if its lock ran out. */
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
    const readings: Awaitable<IntakeResult>[] = [];
    let isWaiting = false;
    for (const message of delivered) {
      const reading = this.#intake.read(message, this.#settings.renewForMs, ignoreRenewalError);
      isWaiting ||= isPromise(reading);
      readings.push(reading);
    }
    const results = isWaiting ? await Promise.all(readings) : (readings as IntakeResult[]);
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
      if (disposition === "abandoned" || disposition === "unsettled") failure ??= settlementError ?? error;
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

function requireHandlers({ processMessage, processError }: MessageHandlers<never, never>): void {
  if (typeof processMessage === "function" && typeof processError === "function") return;
  throw new TypeError("subscribe needs two functions, processMessage and processError.");
}

function requireCount(count: number): void {
  if (!Number.isInteger(count) || count < 1) {
    throw new TypeError(`Expected a whole number from 1; got ${String(count)}.`);
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
