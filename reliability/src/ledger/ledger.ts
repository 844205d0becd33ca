import { History } from "./history.js";
import { absent, type Effect, type Found, type LedgerLine, sentState } from "./lines.js";

interface Known {
  readonly state: string;
  /** When the acknowledged operation that caused it was tried. */
  readonly order: number;
}

interface Attempt {
  readonly at: number;
  readonly verb: string;
  readonly effects: readonly Effect[];
}

/** How a ledger compares. */
export interface LedgerOptions {
  /** When servers started, which ends all locks, in ms of the wall clock. */
  readonly serverStarts?: readonly number[];
  /** Whether delivered messages must exist even if their sends were not acknowledged. Default false. */
  readonly mustKeepDelivered?: boolean;
  /** Things that may exist more than once. */
  readonly mayRepeat?: (thing: string) => boolean;
}

/**
 * Collects what was tried, acknowledged, delivered and settled, for every message and over all processes, and compares it with what is found:
 * acknowledged operations must have taken effect, others completely or not at all.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #known = new Map<string, Known>();
  /** Tried and not acknowledged, by source and time. */
  readonly #open = new Map<string, Attempt>();
  readonly #histories = new Map<string, History>();
  /** Things that an operation was to make something of. */
  readonly #tried = new Set<string>();
  /** Things that were acknowledged or found: they last. */
  readonly #lasting = new Set<string>();
  readonly #holders = new Map<string, Set<string>>();
  readonly #numbers = new Map<string, Set<string>>();
  readonly #settling = new Set<string>();
  readonly #pending = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  readonly #acknowledged = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly #violations: string[] = [];
  #redeliveries = 0;
  #uncertain = 0;
  #found = 0;
  /** How often what was found was compared. */
  checks = 0;

  constructor(options: LedgerOptions = {}) {
    this.#options = options;
  }

  /** Takes in the lines of one journal, in their order. `source` stands before its violations, and may come again with more lines. */
  read(lines: Iterable<LedgerLine>, source = ""): void {
    for (const line of lines) this.take(line, source);
  }

  take(line: LedgerLine, source = ""): void {
    const [kind] = line;
    if (kind === "try") this.#try({ at: line[1], verb: line[2], effects: line[3] }, source);
    else if (kind === "ok") this.#acknowledge(`${source} ${line[1]}`, line[2]);
    else if (kind === "got") this.#deliver(line);
    else if (kind === "release") this.#historyOf(`${line[2]}/${line[3]}`).released(line[1]);
    else if (kind === "seen") this.#see(line[1], line[2], line[3]);
    else if (kind === "found") this.#compare(line[1], line[2], source);
    else if (kind === "note") increment(this.#counts, line[1]);
    else if (kind === "error") increment(this.#errors, line[1]);
    else this.#violate(line[1], source);
  }

  /** How often something was tried, or noted. */
  count(verb: string): number {
    return this.#counts.get(verb) ?? 0;
  }

  /** How often something was acknowledged. */
  acknowledged(verb: string): number {
    return this.#acknowledged.get(verb) ?? 0;
  }

  /** Messages that were acknowledged as sent and that nobody has tried to settle, with the time of the acknowledgment. */
  get pending(): ReadonlyMap<string, number> {
    return this.#pending;
  }

  /** How many things somebody tried to settle. */
  get settlingCount(): number {
    return this.#settling.size;
  }

  /** Whether somebody tried to settle a thing. */
  isSettling(thing: string): boolean {
    return this.#settling.has(thing);
  }

  /** The codes of errors that clients got. */
  get errors(): readonly string[] {
    return [...this.#errors.keys()];
  }

  /** Violations found so far. */
  violations(): string[] {
    const { serverStarts = [] } = this.#options;
    const found = [...this.#violations];
    for (const [number, holders] of this.#holders) {
      const store = number.slice(0, number.lastIndexOf(" "));
      // The number of a message that was never acknowledged may be given again after a crash.
      const lasting = [...holders].filter((id) => this.#lasting.has(`${store}/${id}`));
      if (lasting.length > 1) found.push(`sequence number ${number} went to ${lasting.join(" and to ")}`);
    }
    for (const [thing, numbers] of this.#numbers) {
      if (numbers.size > 1) found.push(`${thing} has the sequence numbers ${[...numbers].join(", ")}`);
    }
    for (const [thing, history] of this.#histories) {
      if (history.isDelivered && !this.#tried.has(thing)) found.push(`${thing} was delivered but never sent`);
      for (const text of history.violations(serverStarts)) found.push(`${thing} ${text}`);
    }
    return found;
  }

  /** A summary, in the same form for every script. */
  summary(): string[] {
    const operations = [...this.#counts].map(([verb, count]) => {
      const acknowledged = this.#acknowledged.get(verb);
      return `${verb} ${count}${acknowledged === undefined || acknowledged === count ? "" : ` (${acknowledged} acknowledged)`}`;
    });
    const deliveries = [...this.#histories.values()].filter(({ isDelivered }) => isDelivered).length;
    const errors = [...this.#errors].map(([code, count]) => `${code} ${count}`);
    return [
      `operations: ${operations.join(", ") || "none"}`,
      `messages: ${deliveries} delivered, ${this.#redeliveries} came again, ${this.#settling.size} settled, ${this.#pending.size} pending, ${this.#found} found`,
      `${this.checks} comparisons, ${this.#uncertain} operations were in progress then; errors of the clients: ${errors.join(", ") || "none"}`,
    ];
  }

  #try(attempt: Attempt, source: string): void {
    increment(this.#counts, attempt.verb);
    increment(this.#acknowledged, attempt.verb, 0);
    this.#open.set(`${source} ${attempt.at}`, attempt);
    for (const [thing, state] of attempt.effects) {
      this.#tried.add(thing);
      if (state !== absent) continue;
      this.#settling.add(thing);
      this.#pending.delete(thing);
    }
  }

  #acknowledge(key: string, at: number): void {
    const attempt = this.#open.get(key);
    if (attempt === undefined) throw new Error(`The ledger has no attempt ${key}.`);
    this.#open.delete(key);
    increment(this.#acknowledged, attempt.verb);
    for (const [thing, state] of attempt.effects) {
      this.#lasting.add(thing);
      if (state === absent) this.#historyOf(thing).settledAt = at;
      if (state === sentState && !this.#settling.has(thing)) this.#pending.set(thing, at);
      // Of two operations that are acknowledged together, the later one may be reported first.
      if (attempt.at > this.#knownOf(thing).order) this.#known.set(thing, { state, order: attempt.at });
    }
  }

  #deliver([, at, store, id, delivery]: LedgerLine & readonly ["got", ...unknown[]]): void {
    const history = this.#historyOf(`${store}/${id}`);
    if (history.isDelivered) this.#redeliveries++;
    history.delivered(at, delivery);
    if (delivery.sequence !== undefined) this.#number(store, delivery.sequence, id);
  }

  #see(store: string, sequence: string, id: string): void {
    this.#lasting.add(`${store}/${id}`);
    this.#number(store, sequence, id);
  }

  #compare(at: number, { things, sequences }: Found, source: string): void {
    this.checks++;
    const found = new Map<string, string>();
    for (const [thing, state] of things) {
      if (found.has(thing) && !this.#options.mayRepeat?.(thing))
        this.#violate(`${thing} is there twice`, source);
      found.set(thing, state);
      this.#lasting.add(thing);
    }
    this.#found = found.size;
    for (const [store, sequence, id] of sequences) this.#number(store, sequence, id);
    const possible = this.#possibleStates();
    for (const attempt of this.#open.values()) this.#compareWhole(attempt, found, possible, source);
    this.#open.clear();
    if (this.#options.mustKeepDelivered) this.#keepDelivered();
    for (const thing of new Set([...found.keys(), ...this.#known.keys(), ...possible.keys()])) {
      const actual = found.get(thing) ?? absent;
      const expected = new Set([this.#knownOf(thing).state, ...(possible.get(thing) ?? [])]);
      if (!expected.has(actual))
        this.#violate(`${thing} is ${actual}, and should be ${[...expected].join(" or ")}`, source);
      if (actual === absent) this.#known.delete(thing);
      else this.#known.set(thing, { state: actual, order: at });
    }
  }

  /** What happened to things by operations that were in progress. */
  #possibleStates(): Map<string, string[]> {
    const possible = new Map<string, string[]>();
    for (const { at, effects } of this.#open.values()) {
      this.#uncertain++;
      for (const [thing, state] of effects) {
        if (at > this.#knownOf(thing).order) possible.set(thing, [...(possible.get(thing) ?? []), state]);
      }
    }
    return possible;
  }

  /** What was in progress happened as a whole or not at all. Things on which more than one operation was in progress are no evidence. */
  #compareWhole(
    { at, effects }: Attempt,
    found: ReadonlyMap<string, string>,
    possible: ReadonlyMap<string, string[]>,
    source: string,
  ): void {
    const evidence = effects.filter(([thing, state]) => {
      const known = this.#knownOf(thing);
      return known.state !== state && known.order < at && possible.get(thing)?.length === 1;
    });
    const happened = evidence.filter(([thing, state]) => (found.get(thing) ?? absent) === state);
    if (happened.length !== 0 && happened.length !== evidence.length)
      this.#violate(`only ${JSON.stringify(happened)} happened of ${JSON.stringify(effects)}`, source);
  }

  /** A delivery shows that a message was stored. */
  #keepDelivered(): void {
    for (const [thing, { isDelivered }] of this.#histories) {
      if (isDelivered && !this.#known.has(thing)) this.#known.set(thing, { state: sentState, order: -1 });
    }
  }

  #knownOf(thing: string): Known {
    return this.#known.get(thing) ?? { state: absent, order: -1 };
  }

  #historyOf(thing: string): History {
    const known = this.#histories.get(thing);
    if (known !== undefined) return known;
    const history = new History();
    this.#histories.set(thing, history);
    return history;
  }

  #number(store: string, sequence: string, id: string): void {
    add(this.#holders, `${store} ${sequence}`, id);
    add(this.#numbers, `${store}/${id}`, sequence);
  }

  #violate(text: string, source: string): void {
    this.#violations.push(source === "" ? text : `${source}: ${text}`);
  }
}

function increment(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key);
  if (values === undefined) sets.set(key, new Set([value]));
  else values.add(value);
}
