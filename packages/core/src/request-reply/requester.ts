import { afterwards, isObject, isPromise } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import type { ReceivedMessage } from "../message/message.js";
import { iterateLater } from "./iterate-later.js";
import type { RequestExchange } from "./request-exchange.js";
import type {
  RequestManyOptions,
  RequestMessage,
  RequestOptions,
  ResolvedRequesterOptions,
} from "./request-options.js";

/** The replies to one request, in the order of their arrival. */
export type ReplyIterator<Reply = unknown> = AsyncIterableIterator<ReceivedMessage<Reply>, undefined>;

/** Dependencies of a requester. */
export interface RequesterSettings {
  readonly options: ResolvedRequesterOptions;
  /** Loads the code for requests, if that was not done before. */
  readonly open: () => Awaitable<RequestExchange>;
  readonly onClosed: (requester: Requester) => void;
}

/**
 * Sends requests and returns their replies. It owns the receiver of the reply queue, and matches replies by their `correlationId`, which must
 * be the request's `messageId`. Answerers need no waybill: they copy the id and send to `replyTo`.
 */
export class Requester implements AsyncDisposable {
  readonly #settings: RequesterSettings;
  #exchange: RequestExchange | undefined;
  /** The requests that wait for their code to be loaded. */
  #waiting = 0;
  #closing: Promise<void> | undefined;

  constructor(settings: RequesterSettings) {
    this.#settings = settings;
  }

  /** The `replyTo` of its requests. */
  get replyTo(): string {
    return this.#settings.options.replyTo;
  }

  /** The session for replies. */
  get replyToSessionId(): string | undefined {
    return this.#settings.options.replyToSessionId;
  }

  /** The number of pending requests. */
  get pendingRequestCount(): number {
    return this.#waiting + (this.#exchange?.pendingRequestCount ?? 0);
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Sends a request to a queue or topic and resolves with its first reply. Rejects with `timeout` when none arrived in time, `aborted`,
   * `deserialization-failed` when the reply is undeserializable, `closed`; and like `sendMessages`.
   */
  request<Reply = unknown>(
    queueOrTopic: string,
    request: RequestMessage,
    options: RequestOptions = {},
  ): Promise<ReceivedMessage<Reply>> {
    const reply = afterwards(this.#opened(), (exchange) => exchange.request(queueOrTopic, request, options));
    return reply as Promise<ReceivedMessage<Reply>>;
  }

  /**
   * Sends a request at once and iterates over its replies until the timeout, after `maxReplies`, or after `isLast` returned true. Leaving the
   * loop ends the request. The iteration throws the errors of {@link request}, except that a timeout after the request was sent ends it. Of the
   * first requests of a process, it throws the `TypeError` of an invalid option, too: the code that checks them is loaded with them.
   */
  requestMany<Reply = unknown>(
    queueOrTopic: string,
    request: RequestMessage,
    options: RequestManyOptions<Reply> = {},
  ): AsyncIterableIterator<ReceivedMessage<Reply>, undefined> {
    requireRequest(request);
    const given = options as RequestManyOptions;
    const exchange = this.#opened();
    const replies = isPromise(exchange)
      ? iterateLater(exchange.then((opened) => opened.requestMany(queueOrTopic, request, given)))
      : exchange.requestMany(queueOrTopic, request, given);
    return replies as ReplyIterator<Reply>;
  }

  /** Rejects pending requests with `closed`, closes the receiver of replies and releases its session. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#settings.onClosed(this);
    await this.#exchange?.close();
  }

  #opened(): Awaitable<RequestExchange> {
    if (this.#exchange !== undefined) return this.#exchange;
    if (this.isClosed) return Promise.reject(closedError());
    const opening = this.#settings.open();
    if (isPromise(opening)) {
      this.#waiting++;
      const stop = () => void this.#waiting--;
      opening.then(stop, stop);
    }
    return afterwards(opening, (opened) => {
      // Others may have waited for the same code, and the requester may have been closed meanwhile.
      if (this.isClosed) throw closedError();
      this.#exchange ??= opened;
      return this.#exchange;
    });
  }
}

/** Throws `TypeError` for what is no message. */
export function requireRequest(request: unknown): void {
  if (!isObject(request)) throw new TypeError("A request must be a message with a body.");
}

function closedError(): WaybillError {
  return new WaybillError("closed", "The requester is closed.");
}
