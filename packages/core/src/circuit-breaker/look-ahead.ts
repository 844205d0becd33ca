import type { DeliveredMessage, TransportReceiver } from "../contracts/transport.js";
import { readBody } from "../delivery/read-body.js";
import { isPromise } from "../foundation/is-promise.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { DeserializationReport } from "../message/report.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { RehearsalTally } from "../rehearsal/rehearsal-tally.js";

/** What a look at waiting messages found. */
export interface Outlook {
  /** How many messages were looked at. */
  readonly messageCount: number;
  /** The first that can be read. */
  readonly readable: DeliveredMessage | undefined;
  /** Where to look on. */
  readonly next: bigint;
  /** Whether nothing lies behind what was looked at. */
  readonly isAtEnd: boolean;
}

/** What a survey found: an outlook, and what would read the messages that cannot be read. */
export interface Survey extends Omit<Outlook, "next" | "isAtEnd"> {
  readonly advice: string | undefined;
}

/** Is told of every body that a look could read. */
export type OnReadable = (delivered: DeliveredMessage, report: DeserializationReport) => void;

const pageSize = 100;
const mostPages = 10;

/** A look ends when it has read so many bytes: reading takes the time of messages that are handled. */
const mostBytes = 16 * 1024 * 1024;

/** What cannot be read for now may take the time of an attempt each: after so many a look ends. */
const mostUnavailable = 3;

/** Looks at the messages that wait, by peeking: nothing is locked, and no delivery is counted. */
export class LookAhead {
  readonly #receiver: () => Pick<TransportReceiver, "peek">;
  readonly #pipeline: Pipeline;
  readonly #onReadable: OnReadable;

  constructor(receiver: () => Pick<TransportReceiver, "peek">, pipeline: Pipeline, onReadable: OnReadable) {
    this.#receiver = receiver;
    this.#pipeline = pipeline;
    this.#onReadable = onReadable;
  }

  /** Looks at up to a hundred messages from a number on, until one can be read. Rejects as peeking does. */
  async survey(from: bigint): Promise<Survey> {
    const tally = new RehearsalTally(this.#pipeline);
    let unavailable = 0;
    for (const message of await this.#peek(from)) {
      const outcome = await tally.read(message);
      if (outcome.status === "decoded") {
        this.#onReadable(message, outcome.report);
        return { messageCount: tally.messageCount, readable: message, advice: undefined };
      }
      if (outcome.status === "unavailable") unavailable += 1;
      if (unavailable === mostUnavailable) break;
    }
    return { messageCount: tally.messageCount, readable: undefined, advice: tally.advice };
  }

  /** Looks for a message that can be read and received, through up to a thousand from a number on. Rejects as peeking does. */
  async findReadable(from: bigint): Promise<Outlook> {
    let next = from;
    let messageCount = 0;
    const bytes = 0;
    let unavailable = 0;
    for (let page = 0; page < mostPages && bytes < mostBytes; page += 1) {
      const messages = await this.#peek(next);
      if (messages.length === 0) return { messageCount, readable: undefined, next, isAtEnd: true };
      for (const message of messages) {
        messageCount += 1;
        next = message.sequenceNumber + 1n;
        const reading = readBody(this.#pipeline, message);
        const outcome = (isPromise(reading) ? await reading : reading) as DeserializationOutcome;
        if (outcome.status === "decoded") {
          this.#onReadable(message, outcome.report);
          if (message.state === "active") return { messageCount, readable: message, next, isAtEnd: false };
        }
        if (outcome.status === "unavailable") unavailable += 1;
        if (unavailable === mostUnavailable)
          return { messageCount, readable: undefined, next, isAtEnd: false };
      }
    }
    return { messageCount, readable: undefined, next, isAtEnd: false };
  }

  #peek(fromSequenceNumber: bigint): Promise<DeliveredMessage[]> {
    return this.#receiver().peek({ maxMessages: pageSize, fromSequenceNumber });
  }
}
