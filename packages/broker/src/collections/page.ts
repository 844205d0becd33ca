/** How long queues are packed. Small in tests that are to pack short ones. */
export const packing = {
  /** How many messages a full page has. */
  pageSize: 128,
  /** Messages are packed only behind this many that wait for delivery. */
  behind: 1_024,
};

/**
 * Consecutive messages that wait for delivery, kept as one object until one of them is needed. Garbage collections copy and visit each
 * object of a queue, so a long one is cheaper with few.
 */
export abstract class Page<Message> {
  /** The sequence number of its first message; they are delivered in the order of these numbers. */
  readonly first: number;
  /** The sequence number of its last message. */
  readonly last: number;
  /** How many messages it has. */
  readonly count: number;
  /** What follows it in its ready queue; changed by the queue only. */
  nextReady: Message | Page<Message> | undefined = undefined;
  #opened: readonly Message[] | undefined = undefined;
  #isTaken = false;

  constructor(first: number, last: number, count: number) {
    this.first = first;
    this.last = last;
    this.count = count;
  }

  /** Whether its messages are objects of their own already. */
  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /** Its messages, which from now on are objects of their own: always the same ones. */
  open(): readonly Message[] {
    this.#opened ??= this.unpack();
    return this.#opened;
  }

  /**
   * The same, called once by its index and once by its ready queue, which both do without the page from then on. It forgets the messages
   * after the second call: an old page that nothing refers to would keep them alive until the next full garbage collection.
   */
  take(): readonly Message[] {
    const messages = this.open();
    if (this.#isTaken) this.#opened = undefined;
    this.#isTaken = true;
    return messages;
  }

  /** Its messages for reading only: copies of those that are not objects of their own yet. */
  read(): readonly Message[] {
    return this.#opened ?? this.unpack();
  }

  /** New objects of its messages. */
  protected abstract unpack(): readonly Message[];
}
