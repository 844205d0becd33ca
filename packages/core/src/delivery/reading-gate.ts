import type { Awaitable } from "../contracts/serializer.js";
import { isPromise } from "../foundation/is-promise.js";
import type { Scheduler } from "../foundation/scheduler.js";

/** How a body is read: side by side with others, or while no other is. */
export type ReadingKind = "among-others" | "alone";

/** A reading may wait for one that is a part of it, such as a reply that an upcaster asks for; this ends that. In milliseconds. */
const longestWaitMs = 5_000;

interface Waiting {
  readonly kind: ReadingKind;
  readonly admit: () => void;
}

/**
 * Lets bodies be read side by side, and one that may have ended a process alone: it begins when no other is being read, and others wait in
 * turn until it is done, though none for longer than five seconds. A reading that answers at once costs the others nothing.
 */
export class ReadingGate {
  readonly #waiting: Waiting[] = [];
  #readings = 0;
  #isTaken = false;

  /** Runs a reading when it may, which for most is at once: then it returns what the reading returns. */
  run<Result>(kind: ReadingKind, scheduler: Scheduler, read: () => Awaitable<Result>): Awaitable<Result> {
    if (this.#waiting.length > 0 || !this.#mayEnter(kind)) return this.#later(kind, scheduler, read);
    this.#enter(kind);
    return this.#now(kind, read);
  }

  #mayEnter(kind: ReadingKind): boolean {
    return !this.#isTaken && (kind === "among-others" || this.#readings === 0);
  }

  #enter(kind: ReadingKind): void {
    this.#readings += 1;
    if (kind === "alone") this.#isTaken = true;
  }

  #leave(kind: ReadingKind): void {
    this.#readings -= 1;
    if (kind === "alone") this.#isTaken = false;
    if (this.#waiting.length > 0) this.#admit();
  }

  #now<Result>(kind: ReadingKind, read: () => Awaitable<Result>): Awaitable<Result> {
    let result: Awaitable<Result>;
    try {
      result = read();
    } catch (error) {
      this.#leave(kind);
      throw error;
    }
    if (isPromise(result)) return (result as Promise<Result>).finally(() => this.#leave(kind));
    this.#leave(kind);
    return result;
  }

  async #later<Result>(
    kind: ReadingKind,
    scheduler: Scheduler,
    read: () => Awaitable<Result>,
  ): Promise<Result> {
    return this.#now(await this.#turn(kind, scheduler), read);
  }

  /** Resolves, having entered, with the kind that the reading is now: who has waited too long does not insist on being alone. */
  #turn(kind: ReadingKind, scheduler: Scheduler): Promise<ReadingKind> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        kind,
        admit: () => {
          timer.cancel();
          resolve(kind);
        },
      };
      const timer = scheduler.schedule(longestWaitMs, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#enter("among-others");
        resolve("among-others");
        this.#admit();
      });
      this.#waiting.push(waiting);
    });
  }

  #admit(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && this.#mayEnter(next.kind);
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#enter(next.kind);
      next.admit();
    }
  }
}
