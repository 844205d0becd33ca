/** When a circuit opens: so many failures in a row, if they are not further apart than so long. */
export interface CircuitRule {
  readonly minFailures: number;
  readonly windowDurationInMs: number;
}

/** A run of failures that chance makes less often than this is none of chance. */
const leastChance = 1e-9;
const improbable = Math.log(leastChance) + 1e-9;

/** Even a type that nearly always fails opens its circuit in the end: after 405 failures in a row. */
const highestRate = 0.95;

/** So many outcomes are looked back upon; then older ones count half. */
const memory = 1_000;

/** So many messages are remembered that are held; what is beyond counts as a new failure. */
const mostHeld = 100_000;

/** How many failures in a row each message type adds, at most, to those of the entity: it takes several types to speak for all. */
const runOfOneType = 3;

/**
 * The failures in a row of one message type in one format. A type that never fails speaks for a broken consumer after `minFailures`; one
 * that often does only after a run that its own rate of failures does not explain: half of the messages of a producer that breaks its
 * schema half of the time are no news.
 */
export class Circuit {
  readonly messageType: string;
  readonly format: string;
  /** Whether it was ever read, so that failing is a change. */
  hasDecoded = false;
  isOpen = false;
  /** The failures since the last message that decoded. */
  failures = 0;
  /** When it opened, how many openings there had been before and how many messages had decoded: while it is open. */
  openedAtMs = 0;
  opening = 0;
  decodedBefore = 0;
  /** Messages before this one were found unreadable while one of the same kind could be read: they are poison. */
  poisonBefore = 0n;
  /** The messages that are held while it is open, and those that were when it closed: what still cannot be read then is poison. */
  #held = new Set<bigint>();
  #poison = new Set<bigint>();
  /** The logarithm of the chance of the run. */
  #chance = 0;
  #decoded = 0;
  #failed = 0;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(messageType: string, format: string) {
    this.messageType = messageType;
    this.format = format;
  }

  /** Begins to hold messages. */
  open(nowMs: number, opening: number, decodedBefore: number): void {
    this.isOpen = true;
    this.openedAtMs = nowMs;
    this.opening = opening;
    this.decodedBefore = decodedBefore;
  }

  /** Holds no more messages. */
  close(): void {
    this.isOpen = false;
    this.#poison = this.#held;
    this.#held = new Set();
  }

  /** Remembers a message that is held. */
  hold(sequenceNumber: bigint): void {
    if (this.#held.size < mostHeld) this.#held.add(sequenceNumber);
  }

  /** Whether a message that cannot be read is known to be poison: others of its kind could be read after it was. */
  isPoison(sequenceNumber: bigint): boolean {
    return sequenceNumber < this.poisonBefore || this.#poison.has(sequenceNumber);
  }

  decoded(): void {
    this.hasDecoded = true;
    if (this.failures > 0) this.#endRun();
    this.#decoded += 1;
    if (this.#decoded + this.#failed > memory) this.#fade();
  }

  /** Notes a failure; returns whether the run of them is more than chance. */
  failed(nowMs: number, rule: CircuitRule): boolean {
    if (nowMs - this.#failedAtMs > rule.windowDurationInMs) this.#endRun();
    this.#failedAtMs = nowMs;
    this.failures += 1;
    this.#chance += this.chanceOfOne(rule);
    return this.failures >= rule.minFailures && this.#chance <= improbable;
  }

  /** Notes a failure that is explained already. */
  failedAsExpected(): void {
    this.#failed += 1;
    if (this.#decoded + this.#failed > memory) this.#fade();
  }

  /** Takes the type for one that was never read: its failures are poison until one of its messages decodes. */
  giveUp(): void {
    this.#endRun();
    this.hasDecoded = false;
  }

  /** The logarithm of the chance that one message fails, from what the type did before the run. */
  chanceOfOne({ minFailures }: CircuitRule): number {
    const outcomes = this.#decoded + this.#failed;
    const rate = outcomes === 0 ? 0 : this.#failed / outcomes;
    const lowestRate = leastChance ** (1 / minFailures);
    return Math.log(Math.min(Math.max(rate, lowestRate), highestRate));
  }

  #endRun(): void {
    this.#failed += this.failures;
    this.failures = 0;
    this.#chance = 0;
  }

  #fade(): void {
    this.#decoded >>= 1;
    this.#failed >>= 1;
  }
}

/** The failures in a row of all message types of an entity: when several that were read before fail at once, the consumer is broken. */
export class EntityRun {
  #failures = 0;
  #chance = 0;
  #isBroken = false;

  decoded(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#chance = 0;
    this.#isBroken = false;
  }

  /** Notes a failure of a type that was read before; returns whether the run is more than chance. */
  failed(circuit: Circuit, rule: CircuitRule): boolean {
    if (circuit.failures <= runOfOneType) {
      this.#failures += 1;
      this.#chance += circuit.chanceOfOne(rule);
    }
    this.#isBroken ||= this.#failures >= rule.minFailures && this.#chance <= improbable;
    return this.#isBroken;
  }
}
