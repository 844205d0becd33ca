import type { Engine } from "../engine/engine.js";
import type { Topic } from "../entities/topic.js";
import type { MessageContent } from "../messages/message-content.js";
import { StoredMessage } from "../messages/stored-message.js";
import { processTime } from "../timing/clock.js";
import { FanOut } from "./fan-out.js";
import { saveMessage } from "./place-message.js";
import type { Transit } from "./route-message.js";

/** What the rules and copies of one operation may cost before it returns, in the unit of rules: some 7 ms. */
const OPERATION_LIMIT = 5_000_000;
/** The largest part of a message that rules read, in KB: the service takes no larger headers. */
const LARGEST_HEADER_KB = 64;
/** How long messages are handed to subscriptions between two looks at everything else, in ms. */
const TURN_MS = 5;

/**
 * Hands messages to the subscriptions of topics a little at a time where that takes long, because there are many rules, many subscriptions or
 * many messages at once: so none of them holds up the broker. Until then the topic keeps them, and those that come later wait behind them.
 */
export class FanOuts {
  readonly #engine: Engine;
  /** In order of arrival; a topic without any is not in here. */
  readonly #waiting = new Map<Topic, FanOut[]>();
  #spent = 0;
  #isBounded = true;
  #endsAtMs = 0;
  #isScheduled = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Begins an operation, which may do some of this work itself; all of it where nobody may be held up. */
  beginOperation(isBounded = true): void {
    this.#spent = 0;
    this.#isBounded = isBounded;
  }

  /** Whether a message has to wait: because others of its topic do, or because the operation has done enough. */
  mustWait(topic: Topic, { sizeInBytes }: MessageContent): boolean {
    if (this.#waiting.has(topic)) return true;
    const { fixed, perKilobyte } = topic.cost;
    this.#spent += fixed + perKilobyte * Math.min(Math.ceil(sizeInBytes / 1024), LARGEST_HEADER_KB);
    return this.#isBounded && this.#spent > OPERATION_LIMIT;
  }

  /** Keeps a message in its topic until its turn comes. */
  keep(topic: Topic, transit: Transit, sequence: number, nowMs: number): void {
    const { content, enqueuedSequence = sequence, lifeMs } = transit;
    const message = new StoredMessage(topic.main, content, sequence, enqueuedSequence, nowMs, lifeMs);
    message.propertyChanges = transit.propertyChanges;
    message.hops = transit.hops;
    message.deadLetterSource = transit.deadLetterSource;
    message.wasScheduled = transit.wasScheduled;
    this.enter(topic, message);
    saveMessage(this.#engine, message);
  }

  /** As `keep`, for a message that the storage has already. */
  enter(topic: Topic, message: StoredMessage): void {
    topic.main.add(message);
    const fanOut = new FanOut(this.#engine, topic, message);
    const waiting = this.#waiting.get(topic);
    if (waiting === undefined) this.#waiting.set(topic, [fanOut]);
    else waiting.push(fanOut);
    this.schedule();
  }

  /** Resolves once the subscriptions of a topic, or of all, have what waits now; `undefined` when nothing does. */
  whenDone(topic?: Topic): Promise<void> | undefined {
    if (this.#waiting.size === 0) return undefined;
    const last =
      topic === undefined ? [...this.#waiting.values()].flatMap((waiting) => waiting.at(-1) ?? []) : [];
    const own = topic && this.#waiting.get(topic)?.at(-1);
    if (own !== undefined) last.push(own);
    if (last.length === 0) return undefined;
    const done = last.map(({ onDone }) => new Promise<void>((resolve) => void onDone.push(resolve)));
    return Promise.all(done).then(() => {});
  }

  /** Has the work go on, as far as there is any that can. */
  schedule(): void {
    if (this.#isScheduled || !Array.from(this.#waiting.values()).some(([first]) => this.#isReady(first)))
      return;
    this.#isScheduled = true;
    setImmediate(() => this.#work());
  }

  /** Ends the work; the storage keeps what waits. */
  stop(): void {
    for (const waiting of this.#waiting.values())
      for (const { onDone } of waiting) for (const done of onDone) done();
    this.#waiting.clear();
  }

  readonly #isTurnOver = (): boolean => processTime() >= this.#endsAtMs;

  #work(): void {
    this.#isScheduled = false;
    this.#endsAtMs = processTime() + TURN_MS;
    try {
      for (const [topic, waiting] of [...this.#waiting]) {
        this.#workOn(waiting);
        // The next turn begins with another topic.
        this.#waiting.delete(topic);
        if (waiting.length > 0) this.#waiting.set(topic, waiting);
        if (this.#isTurnOver()) break;
      }
    } finally {
      this.schedule();
    }
  }

  #workOn(waiting: FanOut[]): void {
    let done = 0;
    for (const fanOut of waiting) {
      if (!this.#isReady(fanOut) || !fanOut.goOn(this.#isTurnOver)) break;
      done++;
      for (const tell of fanOut.onDone) tell();
      if (this.#isTurnOver()) break;
    }
    waiting.splice(0, done);
  }

  /** A message in a front end's encoding waits for the front end: there is one a moment after a broker was opened on a storage. */
  #isReady(fanOut: FanOut | undefined): boolean {
    return fanOut !== undefined && !(fanOut.message.content.isWire && this.#engine.wireDecoder === undefined);
  }
}
