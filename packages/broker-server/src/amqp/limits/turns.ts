/** How much time somebody has had lately: one connection, or all of those that show the same key. */
export class Usage {
  /** That of all to which this one belongs; they share their time among them. */
  group: Usage | undefined;
  #ms = 0;
  #atMs = 0;

  /** In ms; what was used a second ago counts half. */
  at(nowMs: number): number {
    this.#ms *= 0.5 ** ((nowMs - this.#atMs) / 1000);
    this.#atMs = nowMs;
    return this.#ms;
  }

  add(nowMs: number, usedMs: number): void {
    this.#ms = this.at(nowMs) + usedMs;
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
  readonly #waiting = new Set<TurnTaker>();
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
    setImmediate(() => this.#runRound());
  }

  #runRound(): void {
    this.#isScheduled = false;
    this.#roundMs = 0;
    try {
      while (this.#roundMs < ROUND_MS) {
        const taker = this.#next();
        if (taker === undefined) break;
        this.#waiting.delete(taker);
        if (this.#work(taker)) this.#waiting.add(taker);
        // What was resolved goes on when this function has returned, and has the turn for itself.
        if (taker instanceof Pause) break;
      }
    } finally {
      this.#schedule();
    }
  }

  #next(): TurnTaker | undefined {
    const nowMs = performance.now();
    let least: TurnTaker | undefined;
    let leastMs = Number.POSITIVE_INFINITY;
    let leastOfGroupMs = Number.POSITIVE_INFINITY;
    for (const taker of this.#waiting) {
      const usedMs = taker.usage.at(nowMs);
      const ofGroupMs = taker.usage.group?.at(nowMs) ?? usedMs;
      if (ofGroupMs > leastOfGroupMs || (ofGroupMs === leastOfGroupMs && usedMs >= leastMs)) continue;
      least = taker;
      leastMs = usedMs;
      leastOfGroupMs = ofGroupMs;
    }
    return least;
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
