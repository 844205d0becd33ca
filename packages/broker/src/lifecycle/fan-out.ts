import type { Engine } from "../engine/engine.js";
import type { Subscription } from "../entities/subscription.js";
import type { Topic } from "../entities/topic.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { type RuleCopies, RuleRun } from "../rules/rule-copies.js";
import { MessageSubject } from "./message-subject.js";
import { discardMessage } from "./place-message.js";
import { countCopies, giveCopy } from "./route-message.js";
import { type Transit, transitOf } from "./transit.js";

/** Copies made per batch of the storage. */
const stride = 256;

interface Share {
  readonly subscription: Subscription;
  /** `undefined` for a subscription that matches every message. */
  readonly run: RuleRun | undefined;
}

/**
 * Copies a topic's message into its subscriptions; can be interrupted. All rules are evaluated before the first copy is made. If the
 * process ends in between, it starts again with the rules: subscriptions that have their copies get them twice.
 */
export class FanOut {
  readonly message: StoredMessage;
  /** Called once the work is finished. */
  readonly onDone: (() => void)[] = [];
  readonly #engine: Engine;
  readonly #topic: Topic;
  #transit: Transit | undefined;
  #subject: MessageSubject | undefined;
  #shares: Share[] | undefined;
  /** Index of the subscription whose rules are evaluated, later of the one whose copies are made. */
  #at = 0;
  #hasRules = false;
  #copy = 0;
  #copies = 0;

  constructor(engine: Engine, topic: Topic, message: StoredMessage) {
    this.message = message;
    this.#engine = engine;
    this.#topic = topic;
  }

  /** Continues until `isTurnOver` returns true; returns `true` when finished. */
  proceed(isTurnOver: () => boolean): boolean {
    if (this.message.state === "gone") return true;
    return this.#runRules(isTurnOver) && this.#makeCopies(isTurnOver);
  }

  #runRules(isTurnOver: () => boolean): boolean {
    if (this.#hasRules) return true;
    const shares = this.#share();
    const { sequence, enqueuedAtMs } = this.message;
    this.#transit ??= transitOf(this.message);
    this.#subject ??= new MessageSubject(this.#engine, this.#transit, sequence, enqueuedAtMs);
    for (; this.#at < shares.length; this.#at++) {
      if (this.#shareAt().run?.proceed(this.#subject, isTurnOver) === false) return false;
    }
    this.#hasRules = true;
    this.#at = 0;
    return !isTurnOver();
  }

  #makeCopies(isTurnOver: () => boolean): boolean {
    do {
      // Each stride is an operation of its own: what is due meanwhile happens in between.
      const nowMs = this.#engine.begin();
      // Timers that fired meanwhile may have removed the message.
      if (this.message.state === "gone") return true;
      const isDone = this.#makeSome(nowMs);
      if (isDone) this.#end(nowMs);
      void this.#engine.end(nowMs);
      if (isDone) return true;
    } while (!isTurnOver());
    return false;
  }

  #makeSome(nowMs: number): boolean {
    const shares = this.#share();
    for (let made = 0; made < stride; ) {
      if (this.#at >= shares.length) return true;
      const { subscription, run } = this.#shareAt();
      const rules: RuleCopies | undefined = run;
      if (subscription.isDeleted || this.#copy >= countCopies(subscription, rules)) {
        this.#at++;
        this.#copy = 0;
        continue;
      }
      this.#transit ??= transitOf(this.message);
      giveCopy(this.#engine, subscription, this.#transit, rules, this.#copy++, nowMs);
      this.#copies++;
      made++;
    }
    return false;
  }

  #end(nowMs: number): void {
    if (this.#copies === 0) this.#engine.emitEntity("matched-no-subscription", this.#topic.path, nowMs);
    discardMessage(this.#engine, this.message);
  }

  #share(): readonly Share[] {
    this.#shares ??= Array.from(this.#topic.subscriptions.values(), (subscription) => ({
      subscription,
      run: subscription.rules.passesAll ? undefined : new RuleRun(subscription.rules.compiled),
    }));
    return this.#shares;
  }

  #shareAt(): Share {
    return this.#share()[this.#at] as Share;
  }
}
