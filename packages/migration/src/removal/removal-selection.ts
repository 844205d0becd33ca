import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";
import { partitionOf } from "../census/partitions.js";
import { peekPages } from "../census/peek-pages.js";
import type { RemovalOptions } from "./removal-options.js";

/** The maximum that Service Bus returns at once. */
const pageSize = 250;

/** Which messages a removal is about. */
export class RemovalSelection {
  /** Undefined for all. */
  readonly numbers: ReadonlySet<bigint> | undefined;
  readonly #last: ReadonlyMap<bigint, bigint> | undefined;
  readonly #isSubQueue: boolean;

  constructor({ numbers, upTo, from }: Pick<RemovalOptions, "numbers" | "upTo" | "from">) {
    this.numbers = numbers && new Set(numbers);
    this.#last = upTo && new Map(upTo.map((number) => [partitionOf(number), number]));
    this.#isSubQueue = from.subQueue !== undefined;
  }

  /** Whether active messages are received, to be removed. */
  get isReceiving(): boolean {
    return this.numbers === undefined || this.#isSubQueue;
  }

  has({ sequenceNumber: number }: Pick<DeliveredMessage, "sequenceNumber">): boolean {
    if (this.numbers?.has(number) === false) return false;
    return this.#last === undefined || number <= (this.#last.get(partitionOf(number)) ?? -1n);
  }

  /** Those of the messages that are there, without locking them. */
  async *peek(
    receiver: TransportReceiver,
    abortSignal: AbortSignal | undefined,
  ): AsyncGenerator<DeliveredMessage[]> {
    if (this.numbers === undefined) {
      for await (const page of peekPages(receiver, { abortSignal }))
        yield page.filter((message) => this.has(message));
      return;
    }
    const sorted = [...this.numbers].sort((one, two) => (one < two ? -1 : 1));
    for (let index = 0; index < sorted.length; ) {
      const fromSequenceNumber = sorted[index] ?? 0n;
      const page = await receiver.peek({ maxMessages: pageSize, fromSequenceNumber, abortSignal });
      const last = page.at(-1)?.sequenceNumber;
      if (last === undefined) return;
      yield page.filter((message) => this.has(message));
      while (index < sorted.length && (sorted[index] ?? 0n) <= last) index++;
    }
  }
}

/** The newest of each partition so far, with another message. */
export function withNewest(newest: Map<bigint, bigint>, { sequenceNumber: number }: DeliveredMessage): void {
  const partition = partitionOf(number);
  const known = newest.get(partition);
  if (known === undefined || known < number) newest.set(partition, number);
}
