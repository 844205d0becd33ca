import type { Awaitable } from "../contracts/serializer.js";
import { isPromise } from "../foundation/is-promise.js";
import type { Scheduler } from "../foundation/scheduler.js";

/** Whether a body may be read concurrently with others. */
export type ReadingKind = "among-others" | "alone";

/** Ends a deadlock between a reading and one nested in it, for example when an upcaster sends a request. In milliseconds. */
const maxWaitMs = 5_000;

interface Waiting {
  readonly kind: ReadingKind;
  readonly admit: () => void;
}

/**
 * Lets bodies be read concurrently, except those that may have crashed a process: each of these is read alone, and later readings wait for
 * it, but at most five seconds. Without such bodies, nothing waits.
 */
export class ReadingGate {
  readonly #waiting: Waiting[] = [];
  #readings = 0;
  #isTaken = false;

  /** Runs a reading as soon as it may begin. If that is at once, it returns what `read` returns. */
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
    if (isPromise(result)) return result.finally(() => this.#leave(kind));
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

  /** Resolves once the reading has entered, with its kind: after `maxWaitMs` it is no longer read alone. */
  #turn(kind: ReadingKind, scheduler: Scheduler): Promise<ReadingKind> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        kind,
        admit: () => {
          timer.cancel();
          resolve(kind);
        },
      };
      const timer = scheduler.schedule(maxWaitMs, () => {
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
