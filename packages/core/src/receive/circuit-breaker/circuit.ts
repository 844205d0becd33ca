/** When a circuit opens: after at least `minFailures` failures in a row, no two of them further apart than `windowDurationInMs`. */
export interface CircuitRule {
  readonly minFailures: number;
  readonly windowDurationInMs: number;
}

/** Runs less likely than this are not treated as random. */
const minProbability = 1e-9;
const minLogProbability = Math.log(minProbability) + 1e-9;

/** Caps the failure rate, so that even a type that nearly always fails opens its circuit: after 405 failures in a row. */
const maxRate = 0.95;

/** Beyond this many outcomes, both counters are halved, so that recent outcomes weigh more. */
const memory = 1_000;

/** Held messages that are remembered; the failure of any other message counts as a new one. */
const maxHeld = 100_000;

/** Failures of one message type that count towards the run of the entity, so that it takes several types to open it. */
const maxFailuresOfOneType = 3;

/** One time that a circuit is open. */
export interface Opening {
  /** By the steady clock, in milliseconds. */
  readonly atMs: number;
  /** Counts the openings of all circuits of a breaker. */
  readonly number: number;
  /** How many messages had decoded before. */
  readonly decodedBefore: number;
}

/**
 * The failures in a row of one message type in one format. If the type never failed before, `minFailures` of them suggest a broken consumer;
 * if it often fails, only a run that its failure rate does not explain does. A producer that breaks its schema in every second message opens
 * no circuit.
 */
export class Circuit {
  readonly messageType: string;
  readonly format: string;
  /** Whether a message of it ever decoded, so that failures are a change. */
  hasDecoded = false;
  /** While it is open. */
  opening: Opening | undefined;
  /** The failures since the last message that decoded. */
  failures = 0;
  /** A message with this sequence number was readable: undeserializable ones before it are the producer's fault. */
  faultyBefore = 0n;
  /** The messages held now, and those held when it closed: the latter are the producer's fault if they are still undeserializable. */
  #held = new Set<bigint>();
  #faulty = new Set<bigint>();
  /** How probable the run of failures is, as a logarithm. */
  #logProbability = 0;
  #decoded = 0;
  #failed = 0;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(messageType: string, format: string) {
    this.messageType = messageType;
    this.format = format;
  }

  get isOpen(): boolean {
    return this.opening !== undefined;
  }

  close(): void {
    this.opening = undefined;
    // They are read again now, and the circuit must not be opened by them a second time.
    this.#faulty = this.#held;
    this.#held = new Set();
  }

  hold(sequenceNumber: bigint): void {
    if (this.#held.size < maxHeld) this.#held.add(sequenceNumber);
  }

  /** Whether an undeserializable message is known to be the producer's fault: others of its type and format decoded after it failed. */
  isFaulty(sequenceNumber: bigint): boolean {
    return sequenceNumber < this.faultyBefore || this.#faulty.has(sequenceNumber);
  }

  decoded(): void {
    this.hasDecoded = true;
    this.#endRun();
    this.#decoded++;
    this.#fade();
  }

  /** Counts a failure; returns whether the run is too long to be random. */
  failed(nowMs: number, rule: CircuitRule): boolean {
    // A broken deployment fails at once. Failures that are hours apart are those of single messages.
    if (nowMs - this.#failedAtMs > rule.windowDurationInMs) this.#endRun();
    this.#failedAtMs = nowMs;
    this.failures++;
    this.#logProbability += this.logProbabilityOfOne(rule);
    return this.failures >= rule.minFailures && this.#logProbability <= minLogProbability;
  }

  /** Counts a failure of a message that is known to be faulty: it does not extend the run. */
  failedAsExpected(): void {
    this.#failed++;
    this.#fade();
  }

  /** Treats the type as one that never decoded: its messages are dead-lettered until one of them decodes. */
  forgetDecoded(): void {
    this.#endRun();
    this.hasDecoded = false;
  }

  /** How probable the failure of one message is, as a logarithm, from the outcomes before the run. */
  logProbabilityOfOne({ minFailures }: CircuitRule): number {
    const outcomes = this.#decoded + this.#failed;
    const rate = outcomes === 0 ? 0 : this.#failed / outcomes;
    // A type without earlier failures gets the rate at which exactly `minFailures` in a row are improbable.
    const minRate = minProbability ** (1 / minFailures);
    return Math.log(Math.min(Math.max(rate, minRate), maxRate));
  }

  #endRun(): void {
    this.#failed += this.failures;
    this.failures = 0;
    this.#logProbability = 0;
  }

  #fade(): void {
    if (this.#decoded + this.#failed <= memory) return;
    this.#decoded >>= 1;
    this.#failed >>= 1;
  }
}

/** The failures in a row of all message types of an entity: when several types that decoded before fail at once, the consumer is broken. */
export class EntityRun {
  #failures = 0;
  #logProbability = 0;
  #isBroken = false;

  decoded(): void {
    this.#failures = 0;
    this.#logProbability = 0;
    this.#isBroken = false;
  }

  /** Counts a failure of a type that decoded before; returns whether the run is too long to be random. */
  failed(circuit: Circuit, rule: CircuitRule): boolean {
    // Otherwise one type that fails often would count as a broken consumer, and hold the messages of all others.
    if (circuit.failures <= maxFailuresOfOneType) {
      this.#failures++;
      this.#logProbability += circuit.logProbabilityOfOne(rule);
    }
    // It stays so until something decodes: the circuits of further types open at their first failure.
    this.#isBroken ||= this.#failures >= rule.minFailures && this.#logProbability <= minLogProbability;
    return this.#isBroken;
  }
}
