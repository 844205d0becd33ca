import type { Engine, PendingFanOuts } from "../engine/engine.js";
import type { Topic } from "../entities/topic.js";
import type { MessageContent } from "../messages/message-content.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { processTime } from "../timing/clock.js";
import { FanOut } from "./fan-out.js";
import { saveMessage } from "./place-message.js";

/** Maximum cost of rules and copies within one operation, in the units of rule costs: about 7 ms. */
const operationLimit = 5_000_000;
/** Maximum size of the part of a message that rules read, in KB: the service's maximum header size. */
const maxHeaderKb = 64;
/** How long messages are copied to subscriptions before other work gets a turn, in ms. */
const turnMs = 5;

/**
 * Copies messages to the subscriptions of topics in small steps if that takes long, because there are many rules, subscriptions or
 * messages: so no topic blocks the broker. Messages stay in the topic until they are copied, and later ones wait behind them.
 */
export class FanOuts implements PendingFanOuts {
  readonly #engine: Engine;
  /** In order of arrival; contains only topics with waiting messages. */
  readonly #waiting = new Map<Topic, FanOut[]>();
  #spent = 0;
  #isBounded = true;
  #endsAtMs = 0;
  #isScheduled = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  beginOperation(isBounded = true): void {
    this.#spent = 0;
    this.#isBounded = isBounded;
  }

  mustWait(topic: Topic, { sizeInBytes }: MessageContent): boolean {
    if (this.#waiting.has(topic)) return true;
    const { fixed, perKilobyte } = topic.cost;
    this.#spent += fixed + perKilobyte * Math.min(Math.ceil(sizeInBytes / 1024), maxHeaderKb);
    return this.#isBounded && this.#spent > operationLimit;
  }

  keep(topic: Topic, message: StoredMessage): void {
    this.enter(topic, message);
    saveMessage(this.#engine, message);
  }

  enter(topic: Topic, message: StoredMessage): void {
    topic.main.add(message);
    const fanOut = new FanOut(this.#engine, topic, message);
    const waiting = this.#waiting.get(topic);
    if (waiting === undefined) this.#waiting.set(topic, [fanOut]);
    else waiting.push(fanOut);
    this.schedule();
  }

  whenDone(topic?: Topic): Promise<void> | undefined {
    if (this.#waiting.size === 0) return undefined;
    const lists = topic === undefined ? [...this.#waiting.values()] : [this.#waiting.get(topic) ?? []];
    const last = lists.flatMap((waiting) => waiting.at(-1) ?? []);
    if (last.length === 0) return undefined;
    const done = last.map(({ onDone }) => new Promise<void>((resolve) => void onDone.push(resolve)));
    return Promise.all(done).then(() => {});
  }

  schedule(): void {
    if (this.#isScheduled || !Array.from(this.#waiting.values()).some(([first]) => this.#isReady(first)))
      return;
    this.#isScheduled = true;
    setImmediate(() => this.#work());
  }

  stop(): void {
    for (const waiting of this.#waiting.values())
      for (const { onDone } of waiting) for (const done of onDone) done();
    this.#waiting.clear();
  }

  readonly #isTurnOver = (): boolean => processTime() >= this.#endsAtMs;

  #work(): void {
    this.#isScheduled = false;
    this.#endsAtMs = processTime() + turnMs;
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
      if (!this.#isReady(fanOut) || !fanOut.proceed(this.#isTurnOver)) break;
      done++;
      for (const notify of fanOut.onDone) notify();
      if (this.#isTurnOver()) break;
    }
    waiting.splice(0, done);
  }

  /** A message in a front end's encoding waits for the front end, which registers its decoder shortly after a broker was opened. */
  #isReady(fanOut: FanOut | undefined): boolean {
    return fanOut !== undefined && !(fanOut.message.content.isWire && this.#engine.wireDecoder === undefined);
  }
}
