import {
  durationMs,
  type OptionNames,
  pause,
  requireInteger,
  requireKnownOptions,
  steadyNowOf,
  underEither,
} from "@waybill/foundation";
import type { SettleableMessage, SettlementVerb } from "../../contracts/settlement.js";
import type { CallOptions, ModifyingOptions, OutcomeOptions } from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import { maxDeadLetterTextLength } from "../../message/broker-properties.js";
import { checkApplicationProperties } from "../../message/check-message.js";
import type {
  ApplicationProperties,
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
import type { MessageHandlers } from "../processing/processor-options.js";
import type { ProcessorSettings } from "../processing/processor-settings.js";
import { CallReading } from "./call-reading.js";
import { iterateMessages, type MessageIteratorOptions } from "./message-iterator.js";
import type {
  DeadLetterMessageOptions,
  PeekMessagesOptions,
  ReceiveMessagesOptions,
} from "./receiver-options.js";
import { type ReceiverState, requireOpen } from "./receiver-state.js";

type Received = ReceivedMessage | UndecodedMessage;

const defaultMaxWaitTimeInMs = 60_000;

const receiveOptionNames: OptionNames<ReceiveMessagesOptions> = { maxWaitTimeInMs: true, abortSignal: true };
const peekOptionNames: OptionNames<PeekMessagesOptions> = { fromSequenceNumber: true, abortSignal: true };

/** What a receiver does once its code is loaded. `Receiver` documents the calls. */
export class LoadedReceiver {
  readonly #context: ReceiverContext;
  readonly #state: ReceiverState;
  /** Created by the first call that receives, because a session with a processor needs none. */
  #calls: CallReading | undefined;
  #peekFrom: bigint | undefined;

  constructor(context: ReceiverContext, state: ReceiverState) {
    this.#context = context;
    this.#state = state;
  }

  get isClosed(): boolean {
    return this.#state.isClosed;
  }

  async receiveMessages(maxMessageCount: number, options: ReceiveMessagesOptions): Promise<Received[]> {
    requireInteger("maxMessageCount", maxMessageCount, 1);
    requireKnownOptions("receiveMessages", options, receiveOptionNames);
    requireOpen(this.#state);
    const { scheduler } = this.#context;
    this.#reading.requireUnblocked();
    const maxWaitTimeInMs = durationMs("maxWaitTimeInMs", options.maxWaitTimeInMs, defaultMaxWaitTimeInMs);
    const untilMs = steadyNowOf(scheduler) + maxWaitTimeInMs;
    for (let leftMs = maxWaitTimeInMs; ; ) {
      const isAlone = this.#reading.held.isEmpty;
      const messages = isAlone
        ? await this.#receive(maxMessageCount, leftMs, options)
        : await this.#receiveBesideHeld(maxMessageCount, leftMs, options);
      if (messages !== undefined && messages.length > 0) return messages;
      leftMs = Math.max(0, untilMs - steadyNowOf(scheduler));
      // All were undeserializable: receive the messages behind them, even if the time is up.
      if (messages === undefined && (isAlone || leftMs === 0)) return this.#endWithout();
    }
  }

  /** Delivers messages to the handlers from now on. */
  process(handlers: MessageHandlers<unknown, UndecodedMessage>, settings: ProcessorSettings): Processor {
    return new Processor(this.#context, handlers, settings);
  }

  iterate(options: MessageIteratorOptions): AsyncGenerator<Received, void, undefined> {
    return iterateMessages(this, options);
  }

  async peekMessages(maxMessageCount: number, options: PeekMessagesOptions): Promise<PeekedMessage[]> {
    requireInteger("maxMessageCount", maxMessageCount, 1);
    requireKnownOptions("peekMessages", options, peekOptionNames);
    requireOpen(this.#state);
    const { fromSequenceNumber = this.#peekFrom, abortSignal } = options;
    const delivered = await peek(this.#context, {
      maxMessages: maxMessageCount,
      fromSequenceNumber,
      abortSignal,
    });
    const last = delivered.at(-1);
    if (last !== undefined) this.#peekFrom = last.sequenceNumber + 1n;
    return Promise.all(delivered.map((message) => readPeeked(this.#context, message)));
  }

  async receiveDeferredMessages(
    sequenceNumbers: bigint | readonly bigint[],
    options: CallOptions,
  ): Promise<Received[]> {
    const numbers = sequenceNumberList(sequenceNumbers);
    requireOpen(this.#state);
    if (numbers.length === 0) return [];
    const { found, messages } = this.#reading.held.readDeferred(numbers);
    const missing = numbers.filter((number) => !found.includes(number));
    const readable = await messages;
    const delivered = missing.length === 0 ? [] : await receiveDeferred(this.#context, missing, options);
    const received = delivered.length === 0 ? [] : await this.#reading.read(delivered, { isDeferred: true });
    return [...readable, ...received];
  }

  async completeMessage(message: SettleableMessage): Promise<void> {
    await this.#deliveryOf(message).settle("complete");
  }

  async abandonMessage(
    message: SettleableMessage,
    propertiesToModify?: ApplicationProperties,
  ): Promise<void> {
    await this.#settleModified(message, "abandon", propertiesToModify);
  }

  async deferMessage(message: SettleableMessage, propertiesToModify?: ApplicationProperties): Promise<void> {
    await this.#settleModified(message, "defer", propertiesToModify);
  }

  async deadLetterMessage(message: SettleableMessage, options: DeadLetterMessageOptions): Promise<void> {
    const { deadLetterReason, deadLetterErrorDescription, ...properties } = options;
    const delivery = this.#deliveryOf(message);
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

  async renewMessageLock(message: SettleableMessage): Promise<Date> {
    return this.#deliveryOf(message).renew();
  }

  /** Ends the calls that wait before they read held messages again. */
  stopWaiting(): void {
    this.#calls?.stopWaiting();
  }

  /** Abandons what is held between calls. */
  async releaseHeld(): Promise<void> {
    await this.#calls?.close();
  }

  stopRenewal(): void {
    this.#context.renewal.stop();
  }

  get #reading(): CallReading {
    this.#calls ??= new CallReading(this.#context);
    return this.#calls;
  }

  /** Undefined when no message arrived in time. */
  async #receive(
    maxMessages: number,
    maxWaitTimeInMs: number,
    { abortSignal }: ReceiveMessagesOptions,
  ): Promise<Received[] | undefined> {
    const delivered = await receive(this.#context, { maxMessages, maxWaitTimeInMs, abortSignal });
    return delivered.length === 0 ? undefined : this.#reading.read(delivered, { isDeferred: false });
  }

  /** Reads held messages again, and receives more while there is room, until it is time to read the held ones again. */
  async #receiveBesideHeld(
    maxMessages: number,
    leftMs: number,
    options: ReceiveMessagesOptions,
  ): Promise<Received[] | undefined> {
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
    requireOpen(this.#state);
    if (abortSignal?.aborted) {
      const { entityPath } = this.#state;
      throw new WaybillError("aborted", "The call was aborted.", { entityPath });
    }
  }

  /** Throws the reason if a held message could not be read. */
  #endWithout(): [] {
    const { error } = this.#reading.held;
    if (error !== undefined) throw error;
    return [];
  }

  #deliveryOf(message: SettleableMessage): Delivery {
    return requireDelivery(message, this.#context.receiver);
  }

  async #settleModified(
    message: SettleableMessage,
    verb: SettlementVerb,
    propertiesToModify: ApplicationProperties | undefined,
  ): Promise<void> {
    const delivery = this.#deliveryOf(message);
    if (propertiesToModify === undefined) return delivery.settle(verb);
    checkApplicationProperties(propertiesToModify, detailsOf(delivery));
    return delivery.settle(verb, { propertiesToModify } satisfies ModifyingOptions);
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
