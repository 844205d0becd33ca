import type { Scheduler } from "@waybill/foundation";
import type { Awaitable } from "../../contracts/serializer.js";

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

  /** Begins a reading: at once, or when the promise resolves. The kind to leave with is the result; after a long wait, it is not alone. */
  enter(kind: ReadingKind, scheduler: Scheduler): Awaitable<ReadingKind> {
    // First come, first served: readings among others would never let one that waits to be alone begin.
    if (this.#waiting.length > 0 || !this.#mayEnter(kind)) return this.#turn(kind, scheduler);
    this.#begin(kind);
    return kind;
  }

  /** Ends a reading. */
  leave(kind: ReadingKind): void {
    this.#readings--;
    if (kind === "alone") this.#isTaken = false;
    if (this.#waiting.length > 0) this.#admit();
  }

  #mayEnter(kind: ReadingKind): boolean {
    return !this.#isTaken && (kind === "among-others" || this.#readings === 0);
  }

  #begin(kind: ReadingKind): void {
    this.#readings++;
    if (kind === "alone") this.#isTaken = true;
  }

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
        // What it waits for may itself wait for this reading.
        this.#begin("among-others");
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
      this.#begin(next.kind);
      next.admit();
    }
  }
}
