import { WaybillError } from "../errors/error.js";
import { onAbort } from "../foundation/abort-signals.js";
import { type Scheduler, steadyNow, type Timer } from "../foundation/scheduler.js";
import type { MessageId } from "../message/message.js";
import { correlationKey } from "./correlation-key.js";
import type { PendingRequest } from "./pending-request.js";

/** How many ended requests are remembered in each of two generations, to tell late replies from unknown ones. */
const generationSize = 5_000;

/**
 * The requests of one requester that wait, by the id that replies carry, with one timer for all their deadlines. Requests that have ended are
 * remembered by their id: the last 5 000 at least.
 */
export class PendingRequests {
  readonly #scheduler: Scheduler;
  readonly #maxSize: number;
  readonly #onExpired: (pending: PendingRequest) => void;
  readonly #pending = new Map<string, PendingRequest>();
  #ended = new Set<string>();
  #endedBefore = new Set<string>();
  #timer: Timer | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;

  constructor(scheduler: Scheduler, maxSize: number, onExpired: (pending: PendingRequest) => void) {
    this.#scheduler = scheduler;
    this.#maxSize = maxSize;
    this.#onExpired = onExpired;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Throws `operation-invalid` when a request of this id waits already, `quota-exceeded` when too many wait. */
  add(pending: PendingRequest): void {
    const { key, messageId, entityPath, deadlineMs, abortSignal, giveUp } = pending;
    const details = { messageId, entityPath };
    if (this.#pending.has(key)) {
      throw new WaybillError("operation-invalid", "A request with this messageId waits already.", details);
    }
    if (this.#pending.size >= this.#maxSize) {
      const text = `${this.#maxSize} requests wait for replies, which is all that maxPendingRequests allows.`;
      throw new WaybillError("quota-exceeded", text, details);
    }
    this.#pending.set(key, pending);
    pending.stopListening = onAbort(abortSignal, giveUp);
    if (deadlineMs < this.#armedForMs) this.#arm(deadlineMs);
  }

  /** The request that a correlation id names, if it waits. */
  find(correlationId: MessageId | undefined): PendingRequest | undefined {
    const key = correlationKey(correlationId);
    return key === undefined ? undefined : this.#pending.get(key);
  }

  /** Whether a correlation id names a request that has ended. */
  hasEnded(correlationId: MessageId | undefined): boolean {
    const key = correlationKey(correlationId);
    return key !== undefined && (this.#ended.has(key) || this.#endedBefore.has(key));
  }

  /** Takes a request out; false when it had ended before. Notifying its listener is up to the caller. */
  end(pending: PendingRequest): boolean {
    if (pending.isEnded) return false;
    pending.isEnded = true;
    this.#pending.delete(pending.key);
    pending.stopListening();
    if (this.#ended.size >= generationSize) {
      this.#endedBefore = this.#ended;
      this.#ended = new Set();
    }
    this.#ended.add(pending.key);
    // The timer keeps the process alive for requests that wait, and only for them.
    if (this.#pending.size === 0) this.#disarm();
    return true;
  }

  /** Ends them all with an error. */
  failAll(toError: (pending: PendingRequest) => WaybillError): void {
    for (const pending of [...this.#pending.values()]) {
      if (this.end(pending)) pending.listener.fail(toError(pending));
    }
  }

  #arm(atMs: number): void {
    this.#timer?.cancel();
    this.#armedForMs = atMs;
    this.#timer = this.#scheduler.schedule(Math.max(0, atMs - steadyNow(this.#scheduler)), this.#expireDue);
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  readonly #expireDue = (): void => {
    this.#disarm();
    const nowMs = steadyNow(this.#scheduler);
    let nextMs = Number.POSITIVE_INFINITY;
    for (const pending of [...this.#pending.values()]) {
      if (pending.deadlineMs > nowMs) nextMs = Math.min(nextMs, pending.deadlineMs);
      else if (this.end(pending)) this.#onExpired(pending);
    }
    if (nextMs < this.#armedForMs) this.#arm(nextMs);
  };
}
