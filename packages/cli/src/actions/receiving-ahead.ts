import type { DeserializationOutcome, EncodedMessage } from "@waybill/core";
import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import type { MessageFilter } from "../input/message-filter.js";
import type { BrokerContext } from "./action-context.js";

/** Which of the messages that are received are settled; the others stay. */
export interface ReceiveSelection {
  /** Undefined: every message. */
  readonly filter: MessageFilter | undefined;
  readonly includesUndeserializable: boolean;
}

/** Why a message stays where it is. */
export type StayReason = "filtered" | "unavailable" | "undeserializable";

/** A message that would stay after it was received, which would use one of its deliveries. */
export interface Staying {
  readonly message: DeliveredMessage;
  readonly why: StayReason;
}

/** What comes next in a queue. */
export interface Ahead {
  /** How many messages in a row would be settled. */
  readonly count: number;
  /** The message behind them that would stay; undefined if there is none as far as was looked. */
  readonly staying: Staying | undefined;
}

/** Why a message would stay; undefined if it would be settled. */
export function whyItStays(
  message: DeliveredMessage,
  outcome: DeserializationOutcome,
  { filter, includesUndeserializable }: ReceiveSelection,
): StayReason | undefined {
  if (filter?.(message, outcome) === false) return "filtered";
  // What cannot be read now may be readable later.
  if (outcome.status === "unavailable") return "unavailable";
  return outcome.status === "undeserializable" && !includesUndeserializable ? "undeserializable" : undefined;
}

/** Looks at messages before they are received, by peeking: nothing is locked, so no delivery is used up. */
export class ReceivingAhead {
  readonly #context: BrokerContext;
  readonly #receiver: TransportReceiver;
  readonly #selection: ReceiveSelection;
  readonly #sessionId: string | undefined;
  /** What was received and stays locked until the end: it is not looked at again. */
  readonly #kept = new Set<bigint>();
  #pending: DeliveredMessage[] = [];
  #next: bigint | undefined;

  constructor(
    context: BrokerContext,
    receiver: TransportReceiver,
    selection: ReceiveSelection,
    sessionId: string | undefined,
  ) {
    this.#context = context;
    this.#receiver = receiver;
    this.#selection = selection;
    this.#sessionId = sessionId;
  }

  /** Looks at the active messages behind those it has looked at already: at `max` of them, or up to the first that would stay. */
  async look(max: number): Promise<Ahead> {
    for (let count = 0; ; count++) {
      const message = count < max ? await this.#following(max - count) : undefined;
      if (message === undefined) return { count, staying: undefined };
      const why = await this.why(message);
      if (why !== undefined) return { count, staying: { message, why } };
    }
  }

  /** Begins with the oldest message again: one may have arrived anywhere, such as one that was scheduled. */
  lookAgain(): void {
    this.#pending = [];
    this.#next = undefined;
  }

  /** Leaves out a message that was received and stays locked. */
  keep({ sequenceNumber }: DeliveredMessage): void {
    this.#kept.add(sequenceNumber);
  }

  /** How many messages would stay that lie before the last of `max` to be settled. */
  async countStaying(max: number): Promise<{ readonly settled: number; readonly staying: number }> {
    const counts = { settled: 0, staying: 0 };
    let before = 0;
    while (counts.settled < max) {
      const message = await this.#following(max);
      if (message === undefined) break;
      if ((await this.why(message)) !== undefined) before++;
      else {
        counts.settled++;
        counts.staying += before;
        before = 0;
      }
    }
    return counts;
  }

  /** The deferred messages with these numbers, or the oldest, and those of them that would stay. A number of no message is kept: the broker says so. */
  async deferred(numbers: readonly bigint[] | true, max: number) {
    const settled: bigint[] = [];
    const staying: Staying[] = [];
    const add = async (message: DeliveredMessage) => {
      const why = await this.why(message);
      if (why === undefined) settled.push(message.sequenceNumber);
      else staying.push({ message, why });
    };
    if (numbers !== true) {
      for (const number of numbers) {
        const [message] = await this.#receiver.peek({
          maxMessages: 1,
          fromSequenceNumber: number,
          abortSignal: this.#context.abortSignal,
        });
        if (message?.sequenceNumber === number) await add(message);
        else settled.push(number);
      }
      return { settled, staying };
    }
    for await (const page of peekPages(this.#receiver, { abortSignal: this.#context.abortSignal })) {
      for (const message of page) {
        if (message.state === "deferred" && this.#isOfSession(message)) await add(message);
        if (settled.length === max) return { settled, staying };
      }
    }
    return { settled, staying };
  }

  /** Why a message would stay; undefined if it would be settled. */
  async why(message: DeliveredMessage): Promise<StayReason | undefined> {
    const { pipeline, abortSignal } = this.#context;
    const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
    return whyItStays(message, outcome, this.#selection);
  }

  async #following(wanted: number): Promise<DeliveredMessage | undefined> {
    for (;;) {
      const message = this.#pending.shift();
      if (message !== undefined && this.#isNext(message)) return message;
      if (message !== undefined) continue;
      this.#pending = [
        ...(await this.#receiver.peek({
          maxMessages: Math.min(Math.max(wanted, 1), pageSize),
          fromSequenceNumber: this.#next,
          abortSignal: this.#context.abortSignal,
        })),
      ];
      const last = this.#pending.at(-1);
      if (last === undefined) return undefined;
      this.#next = last.sequenceNumber + 1n;
    }
  }

  #isNext(message: DeliveredMessage): boolean {
    const { state, sequenceNumber } = message;
    return state === "active" && this.#isOfSession(message) && !this.#kept.has(sequenceNumber);
  }

  #isOfSession({ sessionId }: DeliveredMessage): boolean {
    return this.#sessionId === undefined || sessionId === this.#sessionId;
  }
}

/** The maximum that Service Bus returns at once. */
const pageSize = 250;
