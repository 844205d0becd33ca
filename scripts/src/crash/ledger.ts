/** What one operation makes of a thing: a message by `queue/id`, a session's state by `session/id`, an entity by `entity/path`. */
export type Effect = readonly [thing: string, state: string];

/** What the loaded process writes down, one line each, in the order in which it happens. */
export type LedgerLine =
  | readonly [kind: "try", operation: number, effects: readonly Effect[]]
  /** Acknowledged. */
  | readonly [kind: "ok", operation: number]
  /** A number under which an acknowledged message was received. */
  | readonly [kind: "seen", store: string, sequence: string, id: string]
  | readonly [kind: "found", found: Found];

/** All that a process finds when it starts. Things that are absent are left out. */
export interface Found {
  readonly things: readonly Effect[];
  readonly sequences: readonly (readonly [store: string, sequence: string, id: string])[];
}

interface Known {
  readonly state: string;
  /** The operation that is acknowledged to have made it so. */
  readonly order: number;
}

const ABSENT = "absent";
/** No generation does more, so operations of all generations have one order. */
const MOST_OPERATIONS = 2 ** 32;

/**
 * Knows what has been acknowledged and what was only tried, over all generations of a process that is killed again and again, and
 * compares it with what each generation finds.
 */
export class Ledger {
  readonly #known = new Map<string, Known>();
  /** Tried and neither acknowledged nor refused, in their order. */
  readonly #open = new Map<number, readonly Effect[]>();
  readonly #holders = new Map<string, string>();
  readonly #numbers = new Map<string, string>();
  readonly violations: string[] = [];
  acknowledged = 0;
  uncertain = 0;
  checks = 0;

  /** Takes in what a generation wrote down before it was killed. */
  read(generation: number, lines: readonly LedgerLine[]): void {
    for (const line of lines) {
      const order = generation * MOST_OPERATIONS + Number(line[1]);
      if (line[0] === "try") this.#open.set(order, line[2]);
      else if (line[0] === "ok") this.#acknowledge(order);
      else if (line[0] === "seen") this.#see(line[1], line[2], line[3], generation);
      else this.#compare(generation, line[1]);
    }
  }

  #acknowledge(order: number): void {
    this.acknowledged++;
    for (const [thing, state] of this.#open.get(order)!) {
      // Of two operations that are acknowledged together, the later one may be told first.
      if (order > this.#knownOf(thing).order) this.#known.set(thing, { state, order });
    }
    this.#open.delete(order);
  }

  #compare(generation: number, { things, sequences }: Found): void {
    this.checks++;
    const found = new Map<string, string>();
    for (const [thing, state] of things) {
      if (found.has(thing)) this.#violate(generation, `${thing} is there twice`);
      found.set(thing, state);
    }
    for (const [store, sequence, id] of sequences) this.#see(store, sequence, id, generation);
    const possible = this.#possibleStates();
    for (const [order, effects] of this.#open)
      this.#compareWhole(generation, order, effects, found, possible);
    this.#open.clear();
    for (const thing of new Set([...found.keys(), ...this.#known.keys(), ...possible.keys()])) {
      const actual = found.get(thing) ?? ABSENT;
      const expected = [this.#knownOf(thing).state, ...(possible.get(thing) ?? [])];
      if (!expected.includes(actual)) {
        this.#violate(generation, `${thing} is ${actual}, and should be ${expected.join(" or ")}`);
      }
      if (actual === ABSENT) this.#known.delete(thing);
      else this.#known.set(thing, { state: actual, order: (generation - 1) * MOST_OPERATIONS });
    }
  }

  /** What happened to things by operations that were in progress. */
  #possibleStates(): Map<string, string[]> {
    const possible = new Map<string, string[]>();
    for (const [order, effects] of this.#open) {
      this.uncertain++;
      for (const [thing, state] of effects) {
        if (order > this.#knownOf(thing).order) possible.set(thing, [...(possible.get(thing) ?? []), state]);
      }
    }
    return possible;
  }

  /** What was in progress happened as a whole or not at all. Things on which more than one operation was in progress do not tell. */
  #compareWhole(
    generation: number,
    order: number,
    effects: readonly Effect[],
    found: ReadonlyMap<string, string>,
    possible: ReadonlyMap<string, string[]>,
  ): void {
    const telling = effects.filter(([thing, state]) => {
      const known = this.#knownOf(thing);
      return known.state !== state && known.order < order && possible.get(thing)?.length === 1;
    });
    const happened = telling.filter(([thing, state]) => (found.get(thing) ?? ABSENT) === state);
    if (happened.length !== 0 && happened.length !== telling.length) {
      this.#violate(generation, `only ${JSON.stringify(happened)} happened of ${JSON.stringify(effects)}`);
    }
  }

  #knownOf(thing: string): Known {
    return this.#known.get(thing) ?? { state: ABSENT, order: -1 };
  }

  #see(store: string, sequence: string, id: string, generation: number): void {
    const number = `${store} ${sequence}`;
    const holder = this.#holders.get(number) ?? id;
    if (holder !== id) this.#violate(generation, `sequence number ${number} went to ${holder} and to ${id}`);
    this.#holders.set(number, id);
    const message = `${store} ${id}`;
    const earlier = this.#numbers.get(message) ?? sequence;
    if (earlier !== sequence)
      this.#violate(generation, `message ${message} had number ${earlier}, now ${sequence}`);
    this.#numbers.set(message, sequence);
  }

  #violate(generation: number, text: string): void {
    this.violations.push(`generation ${generation}: ${text}`);
  }
}
