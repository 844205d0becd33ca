import { type DeserializationOutcome, type EncodedMessage, WaybillError } from "@waybill/core";
import type { DeliveredMessage, EntityAddress, TransportReceiver } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { UsageError } from "../errors/usage-error.js";
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

type Settle = "complete" | "abandon" | "defer" | "dead-letter";

/** What to receive, and what happens to it. */
export interface ReceiveOptions extends CommonOptions {
  readonly settle: Settle;
  readonly max: number;
  readonly wait: number;
  readonly sessionId?: string;
  readonly nextSession?: boolean;
  /** The numbers of deferred messages; true for the oldest ones. */
  readonly deferred?: readonly bigint[] | true;
  readonly includeUndeserializable?: boolean;
  readonly body?: boolean;
}

/** How many messages are locked at once: few enough to be read and settled long before their locks expire. */
const batchSize = 50;

export async function receive(path: string, options: ReceiveOptions): Promise<ExitCode> {
  const address = parseEntity(path);
  if (options.sessionId !== undefined && options.nextSession === true)
    throw new UsageError("Give --session-id or --next-session, not both.");
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
    return await new Receiving(context, receiver, options).run();
  } catch (error) {
    throw withSessionHint(error);
  } finally {
    await receiver.close();
  }
}

/** Recognises the error of Service Bus and of the local broker. */
function withSessionHint(error: unknown): unknown {
  if (!(error instanceof WaybillError) || !/requires sessions/i.test(error.message)) return error;
  const hint =
    "Name a session with --session-id ID, or take the next one that has messages with --next-session.";
  return new UsageError(`${error.message}\n${hint}`);
}

async function openReceiver(
  { transport, abortSignal }: BrokerContext,
  address: EntityAddress,
  { sessionId, nextSession, wait }: ReceiveOptions,
): Promise<TransportReceiver> {
  if (sessionId === undefined && nextSession !== true) return transport.createReceiver(address, "peekLock");
  return await transport.acceptSession(address, sessionId, {
    receiveMode: "peekLock",
    maxWaitTimeInMs: wait,
    abortSignal,
  });
}

class Receiving {
  readonly #context: BrokerContext;
  readonly #receiver: TransportReceiver;
  readonly #options: ReceiveOptions;
  /** Messages to abandon: they stay locked until the end, so that they are not delivered again meanwhile. */
  readonly #kept: object[] = [];
  readonly #left = { undeserializable: 0, unavailable: 0 };
  #unread = 0;
  #settled = 0;

  constructor(context: BrokerContext, receiver: TransportReceiver, options: ReceiveOptions) {
    this.#context = context;
    this.#receiver = receiver;
    this.#options = options;
  }

  async run(): Promise<ExitCode> {
    const { terminal, abortSignal } = this.#context;
    const { deferred } = this.#options;
    const max = Array.isArray(deferred) ? deferred.length : this.#options.max;
    let left = max;
    try {
      for await (const batch of deferred === undefined ? this.#active(max) : this.#deferred(max)) {
        left -= batch.length;
        await this.#take(batch);
      }
    } finally {
      await Promise.allSettled(this.#kept.map((settlement) => this.#receiver.abandon(settlement)));
    }
    if (left > 0 && abortSignal.aborted) {
      terminal.note(this.#interruption());
      return exitCodes.interrupted;
    }
    if (left === max && !terminal.isJson) terminal.line("no messages");
    const { undeserializable, unavailable } = this.#left;
    if (undeserializable > 0)
      terminal.note(
        `${undeserializable} that cannot be deserialized stay; --include-undeserializable settles them too.`,
      );
    if (unavailable > 0)
      terminal.note(
        `${unavailable} that cannot be read now stay: something that a serializer needs is unavailable.`,
      );
    return this.#unread === 0 ? exitCodes.ok : exitCodes.found;
  }

  async *#active(max: number): AsyncGenerator<readonly DeliveredMessage[]> {
    let left = max;
    while (left > 0 && !this.#context.abortSignal.aborted) {
      const batch = await this.#receive(Math.min(left, batchSize), this.#options.wait);
      if (batch.length === 0) return;
      left -= batch.length;
      yield batch;
    }
  }

  async *#deferred(max: number): AsyncGenerator<readonly DeliveredMessage[]> {
    const { abortSignal } = this.#context;
    const numbers = await this.#deferredNumbers(max);
    for (let start = 0; start < numbers.length && !abortSignal.aborted; start += batchSize)
      yield await this.#receiver.receiveDeferred(numbers.slice(start, start + batchSize), { abortSignal });
  }

  /** Those that were named, or of the oldest deferred messages, within the session if there is one. */
  async #deferredNumbers(max: number): Promise<readonly bigint[]> {
    const { deferred, sessionId } = this.#options;
    if (deferred !== true) return deferred ?? [];
    const numbers: bigint[] = [];
    for await (const page of peekPages(this.#receiver, { abortSignal: this.#context.abortSignal })) {
      for (const message of page) {
        const isOfSession = sessionId === undefined || message.sessionId === sessionId;
        if (message.state === "deferred" && isOfSession) numbers.push(message.sequenceNumber);
        if (numbers.length === max) return numbers;
      }
    }
    return numbers;
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
    const read: (readonly [DeliveredMessage, DeserializationOutcome])[] = [];
    for (const message of batch) {
      const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
      if (!terminal.isJson) {
        read.push([message, outcome]);
        continue;
      }
      terminal.jsonLine(messageView(message, outcome, withBody));
      await terminal.written();
      await this.#finish(message, outcome);
    }
    if (terminal.isJson) return;
    messageTable(terminal, read, withBody);
    await terminal.written();
    for (const [message, outcome] of read) await this.#finish(message, outcome);
  }

  async #finish(message: DeliveredMessage, { status }: DeserializationOutcome): Promise<void> {
    const { includeUndeserializable, settle } = this.#options;
    // What cannot be read now may be readable later.
    const isLeft =
      status === "unavailable" || (status === "undeserializable" && includeUndeserializable !== true);
    if (status !== "decoded") this.#unread++;
    if (isLeft) this.#left[status]++;
    const { settlement } = message;
    if (settlement === undefined) throw new TypeError("Only a message that is locked can be settled.");
    if (isLeft || settle === "abandon") this.#kept.push(settlement);
    else await this.#settle(settlement, settle);
    if (!isLeft) this.#settled++;
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
