import { type DeserializationOutcome, type EncodedMessage, WaybillError } from "@waybill/core";
import type { DeliveredMessage, EntityAddress, TransportReceiver } from "@waybill/core/transport";
import { pause, steadyNowOf, systemScheduler } from "@waybill/foundation";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { UsageError } from "../errors/usage-error.js";
import { type FilterOptions, type MessageFilter, messageFilter } from "../input/message-filter.js";
import { parseEntity } from "../input/parse-entity.js";
import { counted } from "../output/counted.js";
import { messageTable } from "../output/message-table.js";
import { messageView } from "../output/message-view.js";
import {
  type BrokerContext,
  type CommonOptions,
  isInterruption,
  openBrokerContext,
} from "./action-context.js";
import {
  type Ahead,
  type ReceiveSelection,
  ReceivingAhead,
  type Staying,
  type StayReason,
  whyItStays,
} from "./receiving-ahead.js";
import { refuseSessions, withSessionHint } from "./receiving-sessions.js";

type Settle = "complete" | "abandon" | "defer" | "dead-letter";

/** What to receive, and what happens to it. */
export interface ReceiveOptions extends CommonOptions, FilterOptions {
  readonly settle: Settle;
  readonly max: number;
  readonly wait: number;
  readonly sessionId?: string;
  readonly nextSession?: boolean;
  /** The numbers of deferred messages; true for the oldest ones. */
  readonly deferred?: readonly bigint[] | true;
  readonly includeUndeserializable?: boolean;
  readonly useDeliveries?: boolean;
  readonly body?: boolean;
}

/** A receiver, perhaps of one session. */
type OpenReceiver = TransportReceiver & { readonly sessionId?: string };

/** How many messages are locked at once: few enough to be read and settled long before their locks expire. */
const batchSize = 50;
/** Between two looks while it waits. */
const lookIntervalMs = 500;
const now = () => steadyNowOf(systemScheduler);

export async function receive(path: string, options: ReceiveOptions): Promise<ExitCode> {
  const address = parseEntity(path);
  if (options.sessionId !== undefined && options.nextSession === true)
    throw new UsageError("Give --session-id or --next-session, not both.");
  const filter = await messageFilter(options);
  await using context = await openBrokerContext(options);
  const receiver = await openReceiver(context, address, options).catch((error: unknown) => {
    if (options.nextSession === true && error instanceof WaybillError && error.code === "timeout") return;
    throw error;
  });
  if (receiver === undefined) {
    context.terminal.note("No session with messages was found.");
    return exitCodes.ok;
  }
  try {
    return await new Receiving(context, address, receiver, options, filter).run();
  } catch (error) {
    throw withSessionHint(error);
  } finally {
    await receiver.close();
  }
}

async function openReceiver(
  { transport, abortSignal }: BrokerContext,
  address: EntityAddress,
  { sessionId, nextSession, wait }: ReceiveOptions,
): Promise<OpenReceiver> {
  if (sessionId === undefined && nextSession !== true) return transport.createReceiver(address, "peekLock");
  return await transport.acceptSession(address, sessionId, {
    receiveMode: "peekLock",
    maxWaitTimeInMs: wait,
    abortSignal,
  });
}

class Receiving {
  readonly #context: BrokerContext;
  readonly #address: EntityAddress;
  readonly #receiver: OpenReceiver;
  readonly #options: ReceiveOptions;
  readonly #selection: ReceiveSelection;
  readonly #ahead: ReceivingAhead;
  /** Messages to abandon: they stay locked until the end, so that they are not delivered again meanwhile. */
  readonly #kept: object[] = [];
  readonly #left = { undeserializable: 0, unavailable: 0, filtered: 0 };
  /** Messages that were not received, because they would stay. */
  #staying: readonly Staying[] = [];
  #unread = 0;
  #settled = 0;

  constructor(
    context: BrokerContext,
    address: EntityAddress,
    receiver: OpenReceiver,
    options: ReceiveOptions,
    filter: MessageFilter | undefined,
  ) {
    this.#context = context;
    this.#address = address;
    this.#receiver = receiver;
    this.#options = options;
    this.#selection = { filter, includesUndeserializable: options.includeUndeserializable === true };
    this.#ahead = new ReceivingAhead(context, receiver, this.#selection, receiver.sessionId);
  }

  async run(): Promise<ExitCode> {
    const { terminal, abortSignal } = this.#context;
    const { deferred, useDeliveries, max } = this.#options;
    const most = Array.isArray(deferred) ? deferred.length : max;
    let received = 0;
    try {
      const batches =
        deferred !== undefined
          ? this.#deferred(deferred, most)
          : useDeliveries === true
            ? this.#pastAll(most)
            : this.#upToStaying(most);
      for await (const batch of batches) {
        received += batch.length;
        await this.#take(batch);
      }
    } finally {
      await Promise.allSettled(this.#kept.map((settlement) => this.#receiver.abandon(settlement)));
    }
    if (received < most && abortSignal.aborted) {
      terminal.note(this.#interruption());
      return exitCodes.interrupted;
    }
    if (received === 0 && this.#staying.length === 0 && !terminal.isJson) terminal.line("no messages");
    this.#noteWhatStays();
    return this.#unread === 0 && this.#staying.length === 0 ? exitCodes.ok : exitCodes.found;
  }

  /** Receives what peeking has shown, and stops before a message that would stay, so that it loses no delivery. Waits by peeking, too. */
  async *#upToStaying(max: number): AsyncGenerator<readonly DeliveredMessage[]> {
    const { abortSignal } = this.#context;
    const { wait } = this.#options;
    let left = max;
    let endsAt = now() + wait;
    let isChecked = this.#receiver.sessionId !== undefined;
    while (left > 0) {
      const { count, staying } = await this.#look(Math.min(left, batchSize));
      const batch = count === 0 ? [] : await this.#receive(count, Math.min(wait, lookIntervalMs));
      if (batch.length > 0) {
        left -= batch.length;
        yield batch;
        endsAt = now() + wait;
        isChecked = true;
      }
      if (staying !== undefined) {
        this.#staying = [staying];
        return;
      }
      if (batch.length === count && count > 0) continue;
      if (!isChecked) await refuseSessions(this.#context, this.#address);
      isChecked = true;
      if (abortSignal.aborted || now() >= endsAt) return;
      await pause(Math.min(lookIntervalMs, endsAt - now()), systemScheduler, abortSignal);
      this.#ahead.lookAgain();
    }
  }

  /** Receives everything up to the last message to be settled, and says before how many others lose a delivery. */
  async *#pastAll(max: number): AsyncGenerator<readonly DeliveredMessage[]> {
    const { settled, staying } = await this.#ahead.countStaying(max);
    if (staying > 0)
      this.#context.terminal.note(
        `${counted(staying, "message")} will be locked and ${staying === 1 ? "stays" : "stay"}, which uses one delivery of each.`,
      );
    let left = settled + staying;
    while (left > 0 && !this.#context.abortSignal.aborted) {
      const batch = await this.#receive(Math.min(left, batchSize), this.#options.wait);
      if (batch.length === 0) return;
      left -= batch.length;
      yield batch;
    }
  }

  async *#deferred(
    numbers: readonly bigint[] | true,
    max: number,
  ): AsyncGenerator<readonly DeliveredMessage[]> {
    const { abortSignal } = this.#context;
    const { settled, staying } = await this.#ahead.deferred(numbers, max);
    this.#staying = staying.filter(({ why }) => why !== "filtered");
    for (let start = 0; start < settled.length && !abortSignal.aborted; start += batchSize)
      yield await this.#receiver.receiveDeferred(settled.slice(start, start + batchSize), { abortSignal });
  }

  /** Sees nothing if it is interrupted meanwhile. */
  async #look(max: number): Promise<Ahead> {
    try {
      return await this.#ahead.look(max);
    } catch (error) {
      if (isInterruption(error, this.#context)) return { count: 0, staying: undefined };
      throw error;
    }
  }

  #noteWhatStays(): void {
    const { terminal } = this.#context;
    for (const { message, why } of this.#staying) terminal.note(stayingText(message, why));
    if (this.#staying.length > 0 && this.#options.deferred === undefined) terminal.note(goOnText);
    const { undeserializable, unavailable, filtered } = this.#left;
    if (undeserializable > 0)
      terminal.note(
        `${undeserializable} that cannot be deserialized ${undeserializable === 1 ? "stays" : "stay"}; --include-undeserializable settles them too.`,
      );
    if (unavailable > 0)
      terminal.note(
        `${unavailable} that cannot be read now ${unavailable === 1 ? "stays" : "stay"}: something that a serializer needs is unavailable.`,
      );
    if (filtered > 0)
      terminal.note(
        `${filtered} that the filters leave out ${filtered === 1 ? "was" : "were"} received and ${filtered === 1 ? "stays" : "stay"}.`,
      );
  }

  /** Returns no messages if it is interrupted while it waits. */
  async #receive(maxMessages: number, maxWaitTimeInMs: number): Promise<readonly DeliveredMessage[]> {
    const { abortSignal } = this.#context;
    try {
      return await this.#receiver.receive({ maxMessages, maxWaitTimeInMs, abortSignal });
    } catch (error) {
      if (isInterruption(error, this.#context)) return [];
      throw error;
    }
  }

  #interruption(): string {
    const { settle, max } = this.#options;
    const done = {
      complete: "completed",
      abandon: "abandoned",
      defer: "deferred",
      "dead-letter": "dead-lettered",
    };
    const were = `${this.#settled} of up to ${counted(max, "message")} ${this.#settled === 1 ? "was" : "were"} ${done[settle]}`;
    return `Interrupted: ${were}; what was not written stays where it is. To go on, run the same command again.`;
  }

  /** Writes each message before it settles it: a message that was settled first could be lost unseen. */
  async #take(batch: readonly DeliveredMessage[]): Promise<void> {
    const { pipeline, terminal, abortSignal } = this.#context;
    const withBody = this.#options.body === true;
    const read: (readonly [DeliveredMessage, DeserializationOutcome, StayReason | undefined])[] = [];
    for (const message of batch) {
      const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
      const why = whyItStays(message, outcome, this.#selection);
      if (why === "filtered") this.#keep(message, why);
      else if (terminal.isJson) {
        terminal.jsonLine(messageView(message, outcome, withBody));
        await terminal.written();
        await this.#finish(message, outcome, why);
      } else read.push([message, outcome, why]);
    }
    if (read.length === 0) return;
    messageTable(
      terminal,
      read.map(([message, outcome]) => [message, outcome] as const),
      withBody,
    );
    await terminal.written();
    for (const each of read) await this.#finish(...each);
  }

  async #finish(
    message: DeliveredMessage,
    { status }: DeserializationOutcome,
    why: StayReason | undefined,
  ): Promise<void> {
    const { settle } = this.#options;
    if (status !== "decoded") this.#unread++;
    if (why !== undefined) return this.#keep(message, why);
    if (settle === "abandon") this.#keepLocked(message);
    else await this.#settle(settlementOf(message), settle);
    this.#settled++;
  }

  #keep(message: DeliveredMessage, why: StayReason): void {
    this.#left[why]++;
    this.#keepLocked(message);
  }

  #keepLocked(message: DeliveredMessage): void {
    this.#kept.push(settlementOf(message));
    this.#ahead.keep(message);
  }

  async #settle(delivery: object, how: Exclude<Settle, "abandon">): Promise<void> {
    switch (how) {
      case "complete":
        return await this.#receiver.complete(delivery);
      case "defer":
        return await this.#receiver.defer(delivery);
      case "dead-letter":
        return await this.#receiver.deadLetter(delivery, { deadLetterReason: "WaybillCommand" });
    }
  }
}

function settlementOf({ settlement }: DeliveredMessage): object {
  if (settlement === undefined) throw new TypeError("Only a message that is locked can be settled.");
  return settlement;
}

function stayingText({ sequenceNumber, deliveryCount }: DeliveredMessage, why: StayReason): string {
  const reasons = {
    filtered: "is left out by the filters",
    undeserializable: "cannot be deserialized",
    unavailable: "cannot be read now, because something that a serializer needs is unavailable,",
  };
  return `Message ${sequenceNumber} ${reasons[why]} and stays. It was not received, which would use one more delivery; it has had ${deliveryCount ?? 0}.`;
}

const goOnText =
  "What is behind it was not received either: --use-deliveries goes on, --include-undeserializable also settles what cannot be deserialized.";
