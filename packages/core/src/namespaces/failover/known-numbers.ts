import { WaybillError } from "../../errors/error.js";

/** How many sequence numbers are kept at most, to bound the memory. */
const maxKnown = 100_000;

/**
 * Sequence numbers of an entity that were seen in the namespace in use. Each namespace counts from 1, so a number of the lost one names another
 * message here: after a change, only those are used that were seen since.
 */
export class KnownNumbers {
  readonly #entityPath: string;
  readonly #seen = new Set<bigint>();
  #isChanged = false;

  constructor(entityPath: string) {
    this.#entityPath = entityPath;
  }

  /** Another namespace is in use. */
  forget(): void {
    this.#isChanged = true;
    this.#seen.clear();
  }

  note(sequenceNumbers: Iterable<bigint>): void {
    if (!this.#isChanged) return;
    for (const number of sequenceNumbers) this.#seen.add(number);
    for (const number of this.#seen) {
      if (this.#seen.size <= maxKnown) return;
      this.#seen.delete(number);
    }
  }

  /** Throws `message-not-found` for numbers that may be those of the lost namespace. */
  check(sequenceNumbers: readonly bigint[]): void {
    if (!this.#isChanged) return;
    const unknown = sequenceNumbers.find((number) => !this.#seen.has(number));
    if (unknown === undefined) return;
    throw new WaybillError(
      "message-not-found",
      `The sequence number ${unknown} was not seen in the namespace that is in use now, where it may be that of another message. Peek, or ask the other namespace.`,
      { entityPath: this.#entityPath },
    );
  }
}
