import { type Scheduler, steadyNowOf } from "@waybill/foundation";
import type { DeliveredMessage, TransportReceiver } from "../../contracts/transport.js";
import type { DeserializationOutcome } from "../../message/outcome.js";
import type { DeserializationReport } from "../../message/report.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import { Suggestions } from "../../rehearsal/suggestions.js";
import { readBody } from "../reading/read-body.js";

/** What a look at waiting messages found. */
export interface LookAheadResult {
  /** How many messages were looked at. */
  readonly messageCount: number;
  /** The first that can be read. */
  readonly readable: DeliveredMessage | undefined;
  /** Sequence number to continue from. */
  readonly next: bigint;
  /** Whether there are no messages behind those that were looked at. */
  readonly isAtEnd: boolean;
}

/** What a survey found, with the option that would let the pipeline read the undeserializable messages. */
export interface Survey extends Omit<LookAheadResult, "next" | "isAtEnd"> {
  readonly advice: string | undefined;
}

/** Is notified of every body of an active message that a look could read. */
export type OnReadable = (delivered: DeliveredMessage, report: DeserializationReport) => void;

const pageSize = 100;
const maxPages = 10;

/** A look ends after this many bytes, because reading them delays the messages being handled. */
const maxBytes = 16 * 1024 * 1024;

/** A look ends after this many unavailable messages, or when reading them took this long: each may wait for a timeout. */
const maxUnavailable = 100;
const maxUnavailableMs = 1_000;

/** Looks at the messages that wait, by peeking: nothing is locked, and no delivery is counted. */
export class LookAhead {
  readonly #receiver: () => Pick<TransportReceiver, "peek">;
  readonly #pipeline: Pipeline;
  readonly #scheduler: Scheduler;
  readonly #onReadable: OnReadable;

  constructor(
    receiver: () => Pick<TransportReceiver, "peek">,
    pipeline: Pipeline,
    scheduler: Scheduler,
    onReadable: OnReadable,
  ) {
    this.#receiver = receiver;
    this.#pipeline = pipeline;
    this.#scheduler = scheduler;
    this.#onReadable = onReadable;
  }

  /**
   * Reads up to 100 active messages from a sequence number on, until one can be read; at least `minMessages` if there are so many, however large
   * their bodies are. Rejects as peeking does.
   */
  async survey(from: bigint, minMessages: number): Promise<Survey> {
    const suggestions = new Suggestions(this.#pipeline);
    // At least `minMessages`, because fewer could not show that nothing can be read.
    const budget = new LookBudget(minMessages, this.#scheduler);
    let next = from;
    for (let page = 0; page < maxPages && suggestions.messageCount < pageSize && !budget.isSpent; page++) {
      const messages = await this.#peek(next);
      const active = messages.filter(isActive).slice(0, pageSize - suggestions.messageCount);
      for (const message of active) {
        const { outcome } = await suggestions.read(message);
        if (outcome.status === "decoded") {
          this.#onReadable(message, outcome.report);
          return { messageCount: suggestions.messageCount, readable: message, advice: undefined };
        }
        budget.spend(message, outcome);
        if (budget.isSpent) break;
      }
      // One page is enough, unless scheduled or deferred messages took its place.
      if (active.length === messages.length) break;
      next = (messages.at(-1)?.sequenceNumber ?? next) + 1n;
    }
    const { messageCount, advice } = suggestions;
    return { messageCount, readable: undefined, advice };
  }

  /**
   * Looks for an active message that can be read among up to 1,000 from a sequence number on. Rejects as peeking does. With `passedSessions`,
   * messages of these sessions are skipped, and every session whose first message cannot be read is added.
   */
  async findReadable(from: bigint, passedSessions?: Set<string>): Promise<LookAheadResult> {
    let next = from;
    let messageCount = 0;
    const budget = new LookBudget(1, this.#scheduler);
    for (let page = 0; page < maxPages && !budget.isSpent; page++) {
      const messages = await this.#peek(next);
      if (messages.length === 0) return { messageCount, readable: undefined, next, isAtEnd: true };
      for (const message of messages) {
        messageCount++;
        next = message.sequenceNumber + 1n;
        const { sessionId = "" } = message;
        // A session stops at its first unreadable message: what is behind it is not delivered.
        if (passedSessions?.has(sessionId)) continue;
        const outcome = await readBody(this.#pipeline, message);
        if (outcome.status === "decoded" && isActive(message)) {
          this.#onReadable(message, outcome.report);
          return { messageCount, readable: message, next, isAtEnd: false };
        }
        passedSessions?.add(sessionId);
        budget.spend(message, outcome);
        if (budget.isSpent) break;
      }
    }
    return { messageCount, readable: undefined, next, isAtEnd: false };
  }

  #peek(fromSequenceNumber: bigint): Promise<DeliveredMessage[]> {
    return this.#receiver().peek({ maxMessages: pageSize, fromSequenceNumber });
  }
}

/** Scheduled and deferred messages may be old, and are not delivered now: that one can be read does not show that this consumer works. */
function isActive({ state }: DeliveredMessage): boolean {
  return state !== "scheduled" && state !== "deferred";
}

/** What one look may still read. */
class LookBudget {
  readonly #minMessages: number;
  readonly #scheduler: Scheduler;
  readonly #beganAtMs: number;
  #messages = 0;
  #bytes = 0;
  #unavailable = 0;

  constructor(minMessages: number, scheduler: Scheduler) {
    this.#minMessages = minMessages;
    this.#scheduler = scheduler;
    this.#beganAtMs = steadyNowOf(scheduler);
  }

  get isSpent(): boolean {
    if (this.#unavailable >= maxUnavailable) return true;
    if (this.#unavailable > 0 && steadyNowOf(this.#scheduler) - this.#beganAtMs > maxUnavailableMs)
      return true;
    return this.#bytes >= maxBytes && this.#messages >= this.#minMessages;
  }

  /** Bodies in a value or sequence section have no length: the size of the whole message counts. */
  spend({ body, size }: DeliveredMessage, { status }: DeserializationOutcome): void {
    this.#messages++;
    this.#bytes += body instanceof Uint8Array ? body.length : (size ?? 0);
    if (status === "unavailable") this.#unavailable++;
  }
}
