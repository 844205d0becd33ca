import { DueTimer, hex, onAbort, type Scheduler } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";
import { brokerProperties } from "../message/broker-properties.js";
import type { MessageId, ReceivedMessage } from "../message/message.js";

/** What a request does after a reply: waits for `more`, ends with it (`last`), or ends without it because its buffer is full (`refused`). */
export type ReplyAnswer = "more" | "last" | "refused";

/** Receives the replies to one request. */
export interface ReplyListener {
  take(reply: ReceivedMessage): ReplyAnswer;
  /** Called with the error of an undeserializable reply. */
  takeUndeserializable(error: WaybillError): "more" | "last";
  /** Called when the timeout ends after the request was sent. */
  expire(error: WaybillError): void;
  fail(error: unknown): void;
}

/** One pending request. */
export interface PendingRequest {
  readonly key: string;
  readonly messageId: MessageId;
  /** Where the request goes. */
  readonly entityPath: string;
  readonly listener: ReplyListener;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly abortSignal: AbortSignal | undefined;
  /** Called when its signal aborts. */
  readonly abort: () => void;
  /** Removes the listener from the signal. */
  stopListening: () => void;
  /** Whether it was passed to the broker, so that replies may arrive. */
  isSent: boolean;
  isEnded: boolean;
}

/** How many ended requests are remembered in each of two generations, to distinguish late replies from unknown ones. */
const generationSize = 5_000;

/**
 * The pending requests of one requester, by the id in replies, with one timer for all their deadlines. At least the last 5 000 requests that
 * have ended are remembered by their id.
 */
export class PendingRequests {
  readonly #maxSize: number;
  readonly #onExpired: (pending: PendingRequest) => void;
  readonly #pending = new Map<string, PendingRequest>();
  #ended = new Set<string>();
  #endedBefore = new Set<string>();
  readonly #timer: DueTimer;

  constructor(scheduler: Scheduler, maxSize: number, onExpired: (pending: PendingRequest) => void) {
    // The timer keeps the process alive only while requests are pending.
    this.#timer = new DueTimer(scheduler, (nowMs) => this.#expireDue(nowMs), true);
    this.#maxSize = maxSize;
    this.#onExpired = onExpired;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Throws `operation-invalid` when a request with this id is pending already, `quota-exceeded` when too many are pending. */
  add(pending: PendingRequest): void {
    const { key, messageId, entityPath, deadlineMs, abortSignal, abort } = pending;
    const details = { messageId, entityPath };
    if (this.#pending.has(key)) {
      throw new WaybillError("operation-invalid", "A request with this messageId waits already.", details);
    }
    if (this.#pending.size >= this.#maxSize) {
      const text = `${this.#maxSize} requests wait for replies, which is all that maxPendingRequests allows.`;
      throw new WaybillError("quota-exceeded", text, details);
    }
    this.#pending.set(key, pending);
    pending.stopListening = onAbort(abortSignal, abort);
    this.#timer.set(deadlineMs);
  }

  /** The pending request of a correlation id. */
  find(correlationId: MessageId | undefined): PendingRequest | undefined {
    const key = correlationKey(correlationId);
    return key === undefined ? undefined : this.#pending.get(key);
  }

  /** Whether a correlation id is that of a request that has ended. */
  hasEnded(correlationId: MessageId | undefined): boolean {
    const key = correlationKey(correlationId);
    return key !== undefined && (this.#ended.has(key) || this.#endedBefore.has(key));
  }

  /** Removes a request; false if it had already ended. The caller has to notify its listener. */
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
    if (this.#pending.size === 0) this.#timer.cancel();
    return true;
  }

  /** Ends all of them with an error. */
  failAll(toError: (pending: PendingRequest) => WaybillError): void {
    for (const pending of [...this.#pending.values()]) {
      if (this.end(pending)) pending.listener.fail(toError(pending));
    }
  }

  #expireDue(nowMs: number): void {
    for (const pending of [...this.#pending.values()]) {
      if (pending.deadlineMs > nowMs) this.#timer.set(pending.deadlineMs);
      else if (this.end(pending)) this.#onExpired(pending);
    }
  }
}

/**
 * The same string for an id of any type, because some stacks convert numbers and bytes to strings; undefined without an id, and for one
 * longer than a message id may be.
 */
export function correlationKey(id: MessageId | undefined): string | undefined {
  if (id === undefined) return undefined;
  const key = id instanceof Uint8Array ? hex(id.subarray(0, maxLength)) : String(id);
  return key.length > 2 * maxLength ? undefined : key;
}

const { maxLength } = brokerProperties.messageId as { maxLength: number };
