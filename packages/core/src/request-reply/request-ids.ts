/** How many ended requests with an id of the application are remembered at least; twice as many at most. */
const remembered = 5_000;

/** The random part of an id: a version 4 UUID without its last 48 bits. */
const randomLength = 24;

/**
 * The ids of one requester's requests, which tell late replies from unknown ones. Its own ids are UUIDs whose last 48 bits are a number, so it
 * knows all of them without remembering any. Of the ids that the application gave, at least the last 5 000 that ended are remembered.
 */
export class RequestIds {
  readonly #random = globalThis.crypto.randomUUID().slice(0, randomLength);
  #issued = 0;
  #ended = new Set<string>();

  /** A new id, which no other requester has. */
  next(): string {
    return this.#numbered(this.#issued++);
  }

  /** Remembers the id of a request that has ended. */
  end(id: string): void {
    if (id.startsWith(this.#random)) return;
    if (this.#ended.size >= 2 * remembered) this.#ended = new Set([...this.#ended].slice(remembered));
    this.#ended.add(id);
  }

  /** Whether an id that is not pending is that of a request which has ended. */
  hasEnded(id: string): boolean {
    const number = Number.parseInt(id.slice(randomLength), 16);
    return this.#ended.has(id) || (number < this.#issued && id === this.#numbered(number));
  }

  #numbered(number: number): string {
    return `${this.#random}${number.toString(16).padStart(12, "0")}`;
  }
}
