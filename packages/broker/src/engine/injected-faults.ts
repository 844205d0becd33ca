import { entityKey, splitEntityPath } from "../entities/entity-path.js";
import { refusal } from "../errors/broker-error.js";
import { Deadline } from "../timing/deadline.js";
import type { Timers } from "../timing/timers.js";

/** The faults of one entity; a test sets them through `Broker.faults`. */
export interface EntityFaults {
  /** How many of the next operations are refused. */
  throttled: number;
  /** How long each operation is delayed, in ms. */
  delayMs: number;
  /** How many of the next completed messages are delivered once more. */
  duplicates: number;
}

/** The faults that operations take into account. */
export class InjectedFaults {
  readonly #timers: Timers;
  readonly #byEntity = new Map<string, EntityFaults>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Whether any entity has a fault, so that operations must check. */
  get isActive(): boolean {
    return this.#byEntity.size > 0;
  }

  /** The faults of an entity, to change them. */
  open(entity: string): EntityFaults {
    const key = entityKey(entity);
    const faults = this.#byEntity.get(key) ?? { throttled: 0, delayMs: 0, duplicates: 0 };
    this.#byEntity.set(key, faults);
    return faults;
  }

  /** Ends the faults of an entity. */
  clear(entity: string): void {
    this.#byEntity.delete(entityKey(entity));
  }

  /** Throws `server-busy` where operations are throttled. */
  check(path: string): void {
    const faults = this.#find(path);
    if (faults === undefined || faults.throttled <= 0) return;
    faults.throttled--;
    throw refusal(path, "server-busy", `'${path}' is too busy at present. Try again later.`);
  }

  /** Whether to deliver a completed message once more. */
  takeDuplicate(path: string): boolean {
    const faults = this.#find(path);
    if (faults === undefined || faults.duplicates <= 0) return false;
    faults.duplicates--;
    return true;
  }

  /** Delays an operation's result by the delay of its entity. */
  async hold<Answer>(path: string, answer: Promise<Answer>): Promise<Answer> {
    const delayMs = this.#find(path)?.delayMs ?? 0;
    if (delayMs > 0) await new Promise<void>((resolve) => this.#wait(delayMs, resolve));
    return answer;
  }

  #wait(delayMs: number, resolve: () => void): void {
    this.#timers.beginWait();
    const pause = new Deadline(() => {
      this.#timers.endWait();
      resolve();
    });
    this.#timers.arm(pause, this.#timers.nowMs + delayMs);
  }

  #find(path: string): EntityFaults | undefined {
    return this.#byEntity.get(entityKey(splitEntityPath(path).entity));
  }
}
