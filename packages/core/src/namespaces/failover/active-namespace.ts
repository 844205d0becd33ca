import { controllerForMany, pause, type Scheduler, steadyNowOf, underEither } from "@waybill/foundation";
import type { EntityAddress, Transport } from "../../contracts/transport.js";
import { hasCode } from "../../errors/error.js";
import type { FailoverEvent, ResolvedFailoverOptions } from "./failover-options.js";
import { KnownNumbers } from "./known-numbers.js";

/** One of the two. */
export interface PairedNamespace {
  readonly name: string;
  readonly transport: Transport;
}

/** Decides which of two namespaces is in use. */
export class ActiveNamespace {
  readonly scheduler: Scheduler;
  readonly #pair: readonly [PairedNamespace, PairedNamespace];
  readonly #options: ResolvedFailoverOptions;
  readonly #listeners = new Set<() => void>();
  readonly #numbers = new Map<string, KnownNumbers>();
  readonly #closing = controllerForMany();
  #current: PairedNamespace;
  #left = controllerForMany();
  #isSuspected = false;

  constructor(
    pair: readonly [PairedNamespace, PairedNamespace],
    options: ResolvedFailoverOptions,
    scheduler: Scheduler,
  ) {
    this.#pair = pair;
    this.#options = options;
    this.scheduler = scheduler;
    this.#current = pair[0];
    if (options.activeNamespace !== undefined) void this.#askRegularly();
  }

  get current(): PairedNamespace {
    return this.#current;
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What is known of an entity's sequence numbers. */
  numbersOf(entityPath: string): KnownNumbers {
    const key = entityPath.toLowerCase();
    const known = this.#numbers.get(key) ?? new KnownNumbers(entityPath);
    this.#numbers.set(key, known);
    return known;
  }

  /** Makes a call on the namespace in use, and notes a failure that looks as if it were unreachable. */
  async call<Answer>(
    address: EntityAddress,
    work: (namespace: PairedNamespace) => Promise<Answer>,
  ): Promise<Answer> {
    const namespace = this.#current;
    try {
      return await work(namespace);
    } catch (error) {
      this.noteError(error, namespace, address);
      throw error;
    }
  }

  /** Like `call`, for work that waits: it begins again on the other namespace after a change. */
  async wait<Answer>(
    address: EntityAddress,
    abortSignal: AbortSignal | undefined,
    work: (namespace: PairedNamespace, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    for (;;) {
      const left = this.#left.signal;
      try {
        return await this.call(address, (namespace) =>
          underEither(left, abortSignal, (signal) => work(namespace, signal)),
        );
      } catch (error) {
        if (!left.aborted || abortSignal?.aborted || this.#closing.signal.aborted) throw error;
      }
    }
  }

  /** An error of the namespace; one of a lost connection begins the check whether it can be reached. */
  noteError(error: unknown, namespace: PairedNamespace, address: EntityAddress): void {
    if (namespace !== this.#current || !hasCode(error, "connection-lost", "timeout")) return;
    if (this.#options.activeNamespace === undefined) void this.#probeUntilCertain(address);
    else void this.#ask();
  }

  close(): void {
    this.#closing.abort();
    this.#listeners.clear();
  }

  async #askRegularly(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#ask();
      await this.#pause();
    }
  }

  async #ask(): Promise<void> {
    try {
      const name = await this.#options.activeNamespace?.();
      const named = this.#pair.find((namespace) => namespace.name === name);
      if (named !== undefined) this.#use(named, "asked");
    } catch {
      // As documented: it is asked again.
    }
  }

  async #probeUntilCertain(address: EntityAddress): Promise<void> {
    if (this.#isSuspected) return;
    this.#isSuspected = true;
    const suspected = this.#current;
    const sinceMs = steadyNowOf(this.scheduler);
    try {
      while (!(await this.#answers(suspected, address)) && !this.#closing.signal.aborted) {
        const silentMs = steadyNowOf(this.scheduler) - sinceMs;
        const other = this.#pair.find((namespace) => namespace !== suspected);
        const isTime = silentMs >= this.#options.unreachableAfterInMs;
        if (isTime && other !== undefined && (await this.#answers(other, address))) {
          this.#use(other, "unreachable");
          return;
        }
        await this.#pause();
      }
    } finally {
      this.#isSuspected = false;
    }
  }

  /** A refusal is an answer, too. */
  async #answers({ transport }: PairedNamespace, address: EntityAddress): Promise<boolean> {
    const timeout = new AbortController();
    const timer = this.scheduler.schedule(this.#options.checkIntervalInMs, () => timeout.abort());
    const receiver = transport.createReceiver(address, "peekLock");
    try {
      await underEither(this.#closing.signal, timeout.signal, (abortSignal) =>
        receiver.peek({ maxMessages: 1, abortSignal }),
      );
      return true;
    } catch (error) {
      return !hasCode(error, "connection-lost", "timeout", "aborted", "closed");
    } finally {
      timer.cancel();
      receiver.close().catch(() => {});
    }
  }

  #use(namespace: PairedNamespace, reason: FailoverEvent["reason"]): void {
    if (namespace === this.#current || this.#closing.signal.aborted) return;
    const from = this.#current.name;
    this.#current = namespace;
    for (const numbers of this.#numbers.values()) numbers.forget();
    const left = this.#left;
    this.#left = controllerForMany();
    left.abort();
    for (const listener of this.#listeners) listener();
    this.#options.onFailover({ from, to: namespace.name, reason });
  }

  #pause(): Promise<void> {
    return pause(this.#options.checkIntervalInMs, unreferenced(this.scheduler), this.#closing.signal);
  }
}

/** Its timers let the process exit. */
function unreferenced(scheduler: Scheduler): Pick<Scheduler, "schedule"> {
  return {
    schedule(delayMs, run) {
      const timer = scheduler.schedule(delayMs, run);
      timer.unref();
      return timer;
    },
  };
}
