import { TurnQueue } from "./turn-queue.js";

const halfLifeMs = 1000;

/** The recent time used by a connection, or by all connections with the same key. */
export class Usage {
  /** The usage of the group it belongs to, whose members share their time. */
  group: Usage | undefined;
  #ms = 0;
  #atMs = 0;

  /**
   * For comparing usages: lower means less used. Usage decays by half each second, for all alike, so the order of two usages changes only
   * when one of them grows.
   */
  get rank(): number {
    return Math.log2(this.#ms) + this.#atMs / halfLifeMs;
  }

  add(nowMs: number, usedMs: number): void {
    this.#ms = this.#ms * 0.5 ** ((nowMs - this.#atMs) / halfLifeMs) + usedMs;
    this.#atMs = nowMs;
    this.group?.add(nowMs, usedMs);
  }
}

/** Work that may take more than one turn. */
export interface TurnTaker {
  readonly usage: Usage;
  /** Works until the turn is over; returns whether some work is left. */
  proceed(): boolean;
}

/** How long one client's work runs before others get a turn, in ms. */
const turnMs = 3;
/** How long all clients' work runs between checks of the sockets, in ms. */
const roundMs = 6;

/**
 * Divides the server's time among its clients, so that none blocks the others. The group that used the least time lately comes first, and
 * within it the client that used least: many connections of a key get no more time than one.
 */
export class Turns {
  #endsAtMs = 0;
  /** Measured time used since the last check of the sockets. */
  #roundMs = 0;
  readonly #waiting = new TurnQueue();
  #isScheduled = false;

  /** Whether the current turn is over. */
  readonly isOver = (): boolean => performance.now() >= this.#endsAtMs;

  /** Works at once if no other taker waits; otherwise, or if work is left, waits for a turn. */
  take(taker: TurnTaker): void {
    const isFree = this.#waiting.size === 0 && this.#roundMs < roundMs;
    if (!isFree || this.#work(taker)) this.enter(taker);
  }

  /** Makes a taker wait for the next turn. */
  enter(taker: TurnTaker): void {
    this.#waiting.add(taker);
    this.#schedule();
  }

  /** Resolves at the beginning of an exclusive turn. */
  next(usage: Usage): Promise<void> {
    return new Promise((resolve) => this.enter(new Pause(usage, resolve)));
  }

  #work(taker: TurnTaker): boolean {
    const startMs = performance.now();
    this.#endsAtMs = startMs + turnMs;
    try {
      return taker.proceed();
    } finally {
      const nowMs = performance.now();
      this.#roundMs += nowMs - startMs;
      taker.usage.add(nowMs, taker instanceof Pause ? turnMs : nowMs - startMs);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#roundMs = 0;
      this.#runRound(performance.now() + roundMs);
    });
  }

  /**
   * Runs one turn. The next follows after everything resolved by it has run, so that its response is not sent behind the work of others.
   */
  #runRound(endsAtMs: number): void {
    const taker = this.#waiting.next();
    let isOver = true;
    try {
      if (taker === undefined) return;
      if (this.#work(taker)) this.#waiting.add(taker);
      // Code resolved here has the rest of the round to itself.
      isOver = taker instanceof Pause || performance.now() >= endsAtMs;
    } finally {
      if (isOver) {
        this.#isScheduled = false;
        this.#schedule();
      } else {
        // A tick requested in a microtask runs after all microtasks.
        queueMicrotask(() => process.nextTick(() => this.#runRound(endsAtMs)));
      }
    }
  }
}

class Pause implements TurnTaker {
  readonly usage: Usage;
  readonly #resolve: () => void;

  constructor(usage: Usage, resolve: () => void) {
    this.usage = usage;
    this.#resolve = resolve;
  }

  proceed(): boolean {
    this.#resolve();
    return false;
  }
}
