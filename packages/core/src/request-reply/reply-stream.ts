import { requireInteger, requireOneOf, requireType } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";
import type { ReceivedMessage } from "../message/message.js";
import type { ReplyAnswer, ReplyListener } from "./pending-requests.js";
import type { RequestManyOptions } from "./request-options.js";

/** Options of a reply stream. */
export interface ReplyStreamSettings extends RequestManyOptions {
  readonly maxBufferedReplies: number;
  /** Called when the iteration ends before the request. */
  readonly onLeft: () => void;
}

interface Waiter {
  resolve(result: IteratorResult<ReceivedMessage, undefined>): void;
  reject(error: unknown): void;
}

/** The replies to one request in the order of their arrival. Replies that arrived before an error are returned first. */
export class ReplyStream implements AsyncIterableIterator<ReceivedMessage, undefined>, ReplyListener {
  readonly #settings: ReplyStreamSettings;
  readonly #maxReplies: number;
  readonly #buffer: ReceivedMessage[] = [];
  readonly #waiters: Waiter[] = [];
  #count = 0;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(settings: ReplyStreamSettings) {
    const { maxReplies = Number.POSITIVE_INFINITY, isLast, undeserializableReplies = "reject" } = settings;
    if (maxReplies !== Number.POSITIVE_INFINITY) requireInteger("maxReplies", maxReplies, 1);
    if (isLast !== undefined) requireType("isLast", isLast, "function");
    requireOneOf("undeserializableReplies", undeserializableReplies, ["reject", "skip"]);
    this.#settings = settings;
    this.#maxReplies = maxReplies;
  }

  next(): Promise<IteratorResult<ReceivedMessage, undefined>> {
    const reply = this.#buffer.shift();
    if (reply !== undefined) return Promise.resolve({ done: false, value: reply });
    const failure = this.#failure;
    if (failure !== undefined) {
      this.#failure = undefined;
      return Promise.reject(failure.error);
    }
    if (this.#isEnded) return Promise.resolve(end);
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<ReceivedMessage, undefined>> {
    this.#buffer.length = 0;
    this.#failure = undefined;
    this.#end();
    this.#settings.onLeft();
    return Promise.resolve(end);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  take(reply: ReceivedMessage): ReplyAnswer {
    const waiter = this.#waiters.shift();
    if (waiter === undefined && this.#buffer.length >= this.#settings.maxBufferedReplies) {
      this.fail(bufferFullError(this.#settings.maxBufferedReplies));
      return "refused";
    }
    if (waiter === undefined) this.#buffer.push(reply);
    else waiter.resolve({ done: false, value: reply });
    return this.#countOrEnd(reply);
  }

  takeUndeserializable(error: WaybillError): "more" | "last" {
    if (this.#settings.undeserializableReplies === "skip") return this.#counted();
    this.fail(error);
    return "last";
  }

  /** The timeout is the regular end of collecting replies. */
  expire(): void {
    this.#end();
  }

  fail(error: unknown): void {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#failure = { error };
    else waiter.reject(error);
    this.#end();
  }

  #countOrEnd(reply: ReceivedMessage): "more" | "last" {
    let isLast: boolean | undefined;
    try {
      isLast = this.#settings.isLast?.(reply);
    } catch (error) {
      this.fail(error);
      return "last";
    }
    if (isLast !== true) return this.#counted();
    this.#end();
    return "last";
  }

  #counted(): "more" | "last" {
    this.#count++;
    if (this.#count < this.#maxReplies) return "more";
    this.#end();
    return "last";
  }

  #end(): void {
    this.#isEnded = true;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(end);
  }
}

const end: IteratorResult<ReceivedMessage, undefined> = Object.freeze({ done: true, value: undefined });

function bufferFullError(maxBufferedReplies: number): WaybillError {
  const text = `${maxBufferedReplies} replies wait to be taken, which is all that maxBufferedReplies allows; take them faster or raise it.`;
  return new WaybillError("quota-exceeded", text, { retryable: false });
}
