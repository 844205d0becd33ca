/** What clients write down, one line each, with the time in ms. A store is a queue or `topic/subscription`. */
export type LedgerLine =
  | readonly [kind: "life" | "cut", at: number]
  | readonly [kind: "send", at: number, stores: readonly string[], ids: readonly string[]]
  /** Acknowledged. */
  | readonly [kind: "sent", at: number, ids: readonly string[]]
  | readonly [kind: "got", at: number, store: string, id: string, sequence: string, lockedUntil: number]
  | readonly [kind: "abandon" | "complete", at: number, store: string, id: string]
  /** Acknowledged. */
  | readonly [kind: "completed", at: number, store: string, id: string]
  /** Found when all clients had gone. */
  | readonly [kind: "left", at: number, store: string, id: string, sequence: string]
  | readonly [kind: "error", at: number, code: string];

interface LedgerOptions {
  /** How long a lock lasts in every store. In ms. */
  readonly lockMs: number;
  /** Stores whose messages are locked by their session, which ends with its link. */
  readonly sessionStores: readonly string[];
  /** When servers began to live, which ends all locks. In ms. */
  readonly serverStarts: readonly number[];
}

interface Delivery {
  readonly at: number;
  readonly lockedUntil: number;
}

/** What happened to one message in one store. */
class History {
  readonly sequences = new Set<string>();
  readonly deliveries: Delivery[] = [];
  readonly abandonedAt: number[] = [];
  isSent = false;
  isCompleteTried = false;
  completedAt = Number.POSITIVE_INFINITY;
  isLeft = false;

  /** Whether anybody was told that it is stored, or that it was and is completed. */
  get isDurable(): boolean {
    return this.isSent || this.isLeft || this.completedAt < Number.POSITIVE_INFINITY;
  }
}

/** What was read from a socket before its link was cut may reach a client so late. In ms. */
const LATE_MS = 2000;

/** Compares what clients were told with what they got: nothing acknowledged may be lost, come back, or be with two clients at once. */
export class DeliveryLedger {
  readonly #histories = new Map<string, History>();
  /** Where each message that was tried to be sent goes. */
  readonly #tried = new Map<string, readonly string[]>();
  /** The messages that came under each sequence number. */
  readonly #holders = new Map<string, Set<string>>();
  readonly #counts = new Map<string, number>();
  readonly errors = new Map<string, number>();

  /** Takes in one client's lines, in their order. */
  read(lines: Iterable<LedgerLine>): void {
    for (const line of lines) {
      increment(this.#counts, line[0]);
      this.#take(line);
    }
  }

  /** How many lines there were of a kind. */
  count(kind: LedgerLine[0]): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** How often messages came again, which at-least-once delivery allows. */
  get redeliveries(): number {
    let sum = 0;
    for (const { deliveries } of this.#histories.values()) sum += Math.max(0, deliveries.length - 1);
    return sum;
  }

  /** What must not have happened, once everything is read. */
  violations(options: LedgerOptions): string[] {
    const found = this.#confusions();
    for (const [key, history] of this.#histories) {
      const store = key.slice(0, key.indexOf(" "));
      const id = key.slice(store.length + 1);
      if (!this.#tried.get(id)?.includes(store)) found.push(`${key} was never sent`);
      const isSession = options.sessionStores.includes(store);
      found.push(...policy(history, isSession, options).map((text) => `${key} ${text}`));
    }
    return found;
  }

  #take(line: LedgerLine): void {
    const [kind, at] = line;
    switch (kind) {
      case "send":
        for (const id of line[3]) this.#tried.set(id, line[2]);
        return;
      case "sent":
        for (const id of line[2]) {
          for (const store of this.#tried.get(id) ?? []) this.#of(store, id).isSent = true;
        }
        return;
      case "got":
        this.#see(line[2], line[3], line[4]).deliveries.push({ at, lockedUntil: line[5] });
        return;
      case "left":
        this.#see(line[2], line[3], line[4]).isLeft = true;
        return;
      case "abandon":
        this.#of(line[2], line[3]).abandonedAt.push(at);
        return;
      case "complete":
        this.#of(line[2], line[3]).isCompleteTried = true;
        return;
      case "completed":
        this.#of(line[2], line[3]).completedAt = at;
        return;
      case "error":
        increment(this.errors, line[2]);
        return;
      default:
    }
  }

  #see(store: string, id: string, sequence: string): History {
    const number = `${store} ${sequence}`;
    const holders = this.#holders.get(number) ?? new Set();
    this.#holders.set(number, holders.add(id));
    const history = this.#of(store, id);
    history.sequences.add(sequence);
    return history;
  }

  /** Numbers of more than one message. That of a message which was never acknowledged may be given again after a crash. */
  #confusions(): string[] {
    const found: string[] = [];
    for (const [number, holders] of this.#holders) {
      const store = number.slice(0, number.lastIndexOf(" "));
      const lasting = [...holders].filter((id) => this.#of(store, id).isDurable);
      if (lasting.length > 1) found.push(`number ${number} went to ${lasting.join(" and to ")}`);
    }
    return found;
  }

  #of(store: string, id: string): History {
    const key = `${store} ${id}`;
    const known = this.#histories.get(key);
    if (known !== undefined) return known;
    const history = new History();
    this.#histories.set(key, history);
    return history;
  }
}

function policy(history: History, isSession: boolean, options: LedgerOptions): string[] {
  const { sequences, isSent, isCompleteTried, isLeft, completedAt } = history;
  const found: string[] = [];
  if (isSent && !isCompleteTried && !isLeft) found.push("was acknowledged and is lost");
  if (isLeft && completedAt < Number.POSITIVE_INFINITY) found.push("was completed and is still there");
  if (sequences.size > 1) found.push(`is there ${sequences.size} times`);
  const lockedAt = ({ at, lockedUntil }: Delivery): number =>
    isSession ? at - LATE_MS : lockedUntil - options.lockMs;
  if (history.deliveries.some((delivery) => lockedAt(delivery) > completedAt)) {
    found.push("was completed and came again");
  }
  if (!isSession && isHeldTwice(history, options)) found.push("was locked and came to another client");
  return found;
}

/** Whether a lock was given while another lasted: that of nobody who let go, on a server that has not started again since. */
function isHeldTwice({ deliveries, abandonedAt }: History, { lockMs, serverStarts }: LedgerOptions): boolean {
  const inOrder = [...deliveries].sort((a, b) => a.lockedUntil - b.lockedUntil);
  return inOrder.some((delivery, place) => {
    const before = inOrder[place - 1];
    const lockedAt = delivery.lockedUntil - lockMs;
    if (before === undefined || lockedAt >= before.lockedUntil) return false;
    const isBetween = (at: number): boolean => at >= before.lockedUntil - lockMs && at <= delivery.at;
    return !abandonedAt.some(isBetween) && !serverStarts.some(isBetween);
  });
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
