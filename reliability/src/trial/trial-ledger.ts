/** What became of every message of the trial, by its id. */
export class TrialLedger {
  /** Sent for certain: the broker acknowledged it. */
  readonly #sent = new Set<string>();
  /** Perhaps sent: its sender was killed meanwhile. */
  readonly #tried = new Set<string>();
  readonly #handled = new Map<string, string>();
  readonly #violations: string[] = [];
  #repeats = 0;

  trying(id: string): void {
    this.#tried.add(id);
  }

  sent(id: string): void {
    this.#sent.add(id);
  }

  /** It was refused before anything was sent. */
  notSent(id: string): void {
    this.#tried.delete(id);
  }

  /** A handler got the message; `isRight` says whether it got the value that was sent. */
  handled(id: string, isRight: boolean, by: string): void {
    if (!isRight) this.violation(`${id} reached a handler with a wrong value, by ${by}`);
    if (this.#handled.has(id)) this.#repeats++;
    this.#handled.set(id, by);
  }

  violation(text: string): void {
    this.#violations.push(text);
  }

  isHandled(id: string): boolean {
    return this.#handled.has(id);
  }

  /** How many messages were handled. */
  get handledCount(): number {
    return this.#handled.size;
  }

  /** The messages that were sent and not handled, of those whose ids begin so. */
  pending(prefix = ""): string[] {
    return [...this.#sent].filter((id) => id.startsWith(prefix) && !this.#handled.has(id));
  }

  /** How many messages each kind of reader handled last, and how many came more than once, because a reader or the broker was killed. */
  summary(): string {
    const byReader = new Map<string, number>();
    for (const by of this.#handled.values()) byReader.set(by, (byReader.get(by) ?? 0) + 1);
    const counts = [...byReader].sort().map(([by, count]) => `${count} by ${by}`);
    return `${this.#sent.size} sent, ${this.#handled.size} handled (${counts.join(", ")}), ${this.#repeats} deliveries repeated`;
  }

  /** What must not happen, in the order in which it was noticed; in the end with the messages that were lost, or that nobody sent. */
  violations(): string[] {
    const invented = [...this.#handled.keys()].filter((id) => !this.#tried.has(id));
    return [
      ...this.#violations,
      ...invented.map((id) => `${id} was handled, but never sent`),
      ...this.pending().map((id) => `${id} was lost`),
    ];
  }
}
