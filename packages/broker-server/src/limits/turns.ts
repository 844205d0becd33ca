import { TurnQueue } from "./turn-queue.js";

const HALF_LIFE_MS = 1000;

/** How much time somebody has had lately: one connection, or all of those that show the same key. */
export class Usage {
  /** That of all to which this one belongs; they share their time among them. */
  group: Usage | undefined;
  #ms = 0;
  #atMs = 0;

  /**
   * Compares usages: that of who has used less is lower. What was used a second ago counts half, and so it does for all: the order of two stays as it
   * is until one of them uses more.
   */
  get rank(): number {
    return Math.log2(this.#ms) + this.#atMs / HALF_LIFE_MS;
  }

  add(nowMs: number, usedMs: number): void {
    this.#ms = this.#ms * 0.5 ** ((nowMs - this.#atMs) / HALF_LIFE_MS) + usedMs;
    this.#atMs = nowMs;
    this.group?.add(nowMs, usedMs);
  }
}

/** Whose work may take more than a turn. */
export interface TurnTaker {
  readonly usage: Usage;
  /** Works until the turn is over, and says whether there is more to do. */
  proceed(): boolean;
}

/** How long one client's work goes on before others have their turn, in ms. */
const TURN_MS = 3;
/** How long all of them work between two looks at the sockets, in ms. */
const ROUND_MS = 6;

/**
 * Divides the time of a server among its clients, so that none of them holds up the others, whatever it asks for. Whose group has used little
 * lately comes first, and in a group who has used little: so many connections have no more time than one.
 */
export class Turns {
  #endsAtMs = 0;
  /** Time used since the last look at the sockets that is known of. */
  #roundMs = 0;
  readonly #waiting = new TurnQueue();
  #isScheduled = false;

  /** Whether the present turn is over. */
  readonly isOver = (): boolean => performance.now() >= this.#endsAtMs;

  /** Works at once when nobody else waits, and then or else has the rest wait. */
  take(taker: TurnTaker): void {
    const isFree = this.#waiting.size === 0 && this.#roundMs < ROUND_MS;
    if (!isFree || this.#work(taker)) this.enter(taker);
  }

  /** Has somebody wait for the next turn. */
  enter(taker: TurnTaker): void {
    this.#waiting.add(taker);
    this.#schedule();
  }

  /** Resolves when a turn begins that nobody else shares. */
  next(usage: Usage): Promise<void> {
    return new Promise((resolve) => this.enter(new Pause(usage, resolve)));
  }

  #work(taker: TurnTaker): boolean {
    const startMs = performance.now();
    this.#endsAtMs = startMs + TURN_MS;
    try {
      return taker.proceed();
    } finally {
      const nowMs = performance.now();
      this.#roundMs += nowMs - startMs;
      taker.usage.add(nowMs, taker instanceof Pause ? TURN_MS : nowMs - startMs);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#roundMs = 0;
      this.#runRound(performance.now() + ROUND_MS);
    });
  }

  /** Gives one turn. The next one follows when all that this one resolved is done, so that its answer is not sent behind the work of others. */
  #runRound(endsAtMs: number): void {
    const taker = this.#waiting.next();
    let isOver = true;
    try {
      if (taker === undefined) return;
      if (this.#work(taker)) this.#waiting.add(taker);
      // What was resolved has the rest of the round for itself.
      isOver = taker instanceof Pause || performance.now() >= endsAtMs;
    } finally {
      if (isOver) {
        this.#isScheduled = false;
        this.#schedule();
      } else {
        // A tick that a microtask asks for comes behind all microtasks.
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
