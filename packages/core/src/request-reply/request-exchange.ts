import { callHook, durationMs, steadyNowOf } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";
import type { Message, MessageId, ReceivedMessage } from "../message/message.js";
import { DelayedAbandons } from "../receive/delivery/delayed-abandons.js";
import type { Delivery } from "../receive/delivery/delivery.js";
import type { ProcessErrorArgs } from "../receive/processing/processor-options.js";
import { acceptProperty } from "./accept.js";
import {
  correlationKey,
  type PendingRequest,
  PendingRequests,
  type ReplyListener,
} from "./pending-requests.js";
import { ReplyLink, type ReplyReceiver } from "./reply-link.js";
import type { ReplySenders } from "./reply-senders.js";
import { ReplyStream } from "./reply-stream.js";
import type {
  RequestManyOptions,
  RequestMessage,
  RequestOptions,
  ResolvedRequesterOptions,
} from "./request-options.js";
import type { ReplyEntity, RequestReplyClient } from "./request-reply-client.js";
import { type ReplyIterator, requireRequest } from "./requester.js";
import {
  type UnmatchedReplyDisposition,
  type UnmatchedReplyKind,
  unmatchedReplies,
} from "./unmatched-reply.js";

/** Dependencies of an exchange. */
export interface RequestExchangeSettings {
  readonly entity: ReplyEntity;
  readonly options: ResolvedRequesterOptions;
  /** The accepted media types of replies unless the options name them. */
  readonly readableTypes: string;
  readonly client: RequestReplyClient;
  readonly senders: ReplySenders;
}

/** Lets another requester on the same queue receive a reply soon, without using up the deliveries of an unmatched reply. */
const abandonBackoff = Object.freeze({ initialDelayInMs: 10, maxDelayInMs: 1_000 });

/** What a requester does once its code is loaded. It owns the receiver of the reply queue, and matches replies to pending requests. */
export class RequestExchange {
  readonly #settings: RequestExchangeSettings;
  /** The `Accept` of requests; undefined for none. */
  readonly #accept: string | undefined;
  readonly #pending: PendingRequests;
  readonly #link: ReplyLink;
  readonly #abandons: DelayedAbandons;
  #closing: Promise<void> | undefined;

  constructor(settings: RequestExchangeSettings) {
    const { entity, options, client, readableTypes } = settings;
    const { scheduler } = client;
    this.#settings = settings;
    this.#accept = options.accept === false ? undefined : (options.accept ?? readableTypes);
    this.#pending = new PendingRequests(scheduler, options.maxPendingRequests, this.#onExpired);
    this.#abandons = new DelayedAbandons(scheduler, abandonBackoff);
    this.#link = new ReplyLink({
      entity,
      sessionId: options.replyToSessionId,
      client,
      maxConcurrentReplies: options.maxConcurrentReplies,
      isNeeded: () => this.#pending.size > 0,
      onReply: this.#onReply,
      onError: this.#onError,
      onBroken: this.#onBroken,
    });
  }

  /** The number of pending requests. */
  get pendingRequestCount(): number {
    return this.#pending.size;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  request(queueOrTopic: string, request: RequestMessage, options: RequestOptions): Promise<ReceivedMessage> {
    return new Promise((resolve, reject) => {
      this.#begin(queueOrTopic, request, options, firstReply(resolve, reject));
    });
  }

  requestMany(queueOrTopic: string, request: RequestMessage, options: RequestManyOptions): ReplyIterator {
    let pending: PendingRequest | undefined;
    const { maxBufferedReplies } = this.#settings.options;
    const onLeft = () => void (pending !== undefined && this.#pending.end(pending));
    const stream = new ReplyStream({ ...options, maxBufferedReplies, onLeft });
    try {
      pending = this.#begin(queueOrTopic, request, options, stream);
    } catch (error) {
      if (error instanceof TypeError) throw error;
      stream.fail(error);
    }
    return stream;
  }

  /** Rejects pending requests with `closed`, closes the receiver of replies and releases its session. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#pending.failAll(({ messageId, entityPath }) => {
      return new WaybillError("closed", "The requester was closed before a reply came.", {
        messageId,
        entityPath,
      });
    });
    this.#abandons.flush();
    await this.#link.close();
  }

  /** Throws for errors of the call itself. */
  #begin(
    queueOrTopic: string,
    request: RequestMessage,
    options: RequestOptions,
    listener: ReplyListener,
  ): PendingRequest {
    if (this.isClosed) throw new WaybillError("closed", "The requester is closed.");
    const { client, options: defaults } = this.#settings;
    const { abortSignal } = options;
    const timeoutMs = durationMs("timeoutInMs", options.timeoutInMs, defaults.timeoutInMs);
    const message = this.#addressed(request);
    const { messageId } = message;
    const key = correlationKey(messageId);
    if (key === undefined) throw new TypeError("messageId must have at most 128 characters.");
    const pending: PendingRequest = {
      key,
      messageId,
      entityPath: queueOrTopic,
      listener,
      timeoutMs,
      deadlineMs: steadyNowOf(client.scheduler) + timeoutMs,
      abortSignal,
      abort: () => this.#fail(pending, abortedError(pending)),
      stopListening: () => {},
      isSent: false,
      isEnded: false,
    };
    if (abortSignal?.aborted === true) throw abortedError(pending);
    this.#pending.add(pending);
    void this.#send(pending, message);
    return pending;
  }

  async #send(pending: PendingRequest, message: Message): Promise<void> {
    try {
      const opening = this.#link.open();
      if (opening !== undefined) await opening;
      if (pending.isEnded) return;
      const sending = this.#settings.senders.send(pending.entityPath, message, {
        abortSignal: pending.abortSignal,
      });
      pending.isSent = true;
      await sending;
    } catch (error) {
      this.#fail(pending, error);
    }
  }

  /** The request with its id and reply address. A loop, because spreading is slow on this hot path. */
  #addressed(request: RequestMessage): Message & { readonly messageId: MessageId } {
    requireRequest(request);
    const { replyTo, replyToSessionId } = this.#settings.options;
    const accept = this.#accept;
    // Spread, because a loop over names would lose the definition that a typed message carries.
    const addressed: Record<string, unknown> = { messageId: undefined, ...request };
    refuseOther("replyTo", addressed.replyTo, replyTo);
    refuseOther("replyToSessionId", addressed.replyToSessionId, replyToSessionId);
    // Random, so that an answerer of one request cannot guess the id of another and answer that.
    addressed.messageId ??= globalThis.crypto.randomUUID();
    addressed.replyTo = replyTo;
    if (replyToSessionId !== undefined) addressed.replyToSessionId = replyToSessionId;
    if (accept !== undefined && request.applicationProperties?.[acceptProperty] === undefined) {
      addressed.applicationProperties = { ...request.applicationProperties, [acceptProperty]: accept };
    }
    return addressed as unknown as Message & { readonly messageId: MessageId };
  }

  #fail(pending: PendingRequest, error: unknown): void {
    if (this.#pending.end(pending)) pending.listener.fail(error);
  }

  readonly #onExpired = (pending: PendingRequest): void => {
    const { messageId, entityPath, timeoutMs, isSent, listener } = pending;
    const details = { messageId, entityPath, cause: this.#link.lastError };
    const text = isSent
      ? `No reply came to ${JSON.stringify(this.#settings.options.replyTo)} within ${timeoutMs} ms.`
      : `Replies could not be received from ${JSON.stringify(this.#settings.options.replyTo)} within ${timeoutMs} ms, so nothing was sent.`;
    const error = new WaybillError("timeout", text, details);
    if (isSent) listener.expire(error);
    else listener.fail(error);
  };

  readonly #onReply = (reply: ReceivedMessage, receiver: ReplyReceiver): Promise<void> | void => {
    const pending = this.#pending.find(reply.correlationId);
    if (pending === undefined) return this.#settleUnmatched(reply, receiver);
    const answer = pending.listener.take(reply);
    if (answer === "more") return;
    this.#pending.end(pending);
    if (answer === "refused") return this.#settleUnmatched(reply, receiver);
  };

  readonly #onError = (args: ProcessErrorArgs): void => {
    const { rawMessage } = args;
    // An unavailable reply is read or delivered again.
    if (rawMessage !== undefined && rawMessage.failure.status === "undeserializable") {
      const pending = this.#pending.find(rawMessage.correlationId);
      if (pending !== undefined) {
        const error = undeserializableError(pending, args.error as WaybillError);
        if (pending.listener.takeUndeserializable(error) === "last") this.#pending.end(pending);
      }
    }
    callHook(() => this.#settings.options.processError(args));
  };

  readonly #onBroken = (error: WaybillError): void => {
    this.#pending.failAll(({ messageId, entityPath }) => {
      const text = `Replies cannot be received from ${JSON.stringify(this.#settings.options.replyTo)}. ${error.message}`;
      return new WaybillError(error.code, text, { messageId, entityPath, cause: error });
    });
  };

  async #settleUnmatched(message: ReceivedMessage, receiver: ReplyReceiver): Promise<void> {
    const { lateReplies, unknownReplies, onUnmatchedReply } = this.#settings.options;
    const kind: UnmatchedReplyKind = this.#pending.hasEnded(message.correlationId) ? "late" : "unknown";
    let disposition: UnmatchedReplyDisposition;
    let settlementError: unknown;
    try {
      const policy = kind === "late" ? lateReplies : unknownReplies;
      disposition = dispositions[policy];
      if (policy === "complete") await receiver.completeMessage(message);
      else if (policy === "abandon") await this.#abandons.abandon(message.settlement as Delivery);
      else await receiver.deadLetterMessage(message, unmatchedReplies[kind]);
    } catch (error) {
      disposition = "unsettled";
      settlementError = error;
    }
    const { entityPath } = receiver;
    callHook(() => onUnmatchedReply({ message, entityPath, kind, disposition, settlementError }));
    // Otherwise the processor would complete the open message, which has to be delivered again.
    if (settlementError !== undefined) throw settlementError;
  }
}

/** Waits for the first reply to a request. */
function firstReply(
  resolve: (reply: ReceivedMessage) => void,
  reject: (error: unknown) => void,
): ReplyListener {
  return {
    take(reply) {
      resolve(reply);
      return "last";
    },
    takeUndeserializable(error) {
      reject(error);
      return "last";
    },
    expire: reject,
    fail: reject,
  };
}

const dispositions = Object.freeze({
  complete: "completed",
  deadLetter: "deadLettered",
  abandon: "abandoned",
} as const);

function refuseOther(name: string, given: unknown, own: string | undefined): void {
  if (given === undefined || given === own) return;
  throw new TypeError(`The requester sets ${name}; leave it out of the request.`);
}

function abortedError({ messageId, entityPath }: PendingRequest): WaybillError {
  return new WaybillError("aborted", "The request was aborted.", { messageId, entityPath });
}

function undeserializableError({ messageId, entityPath }: PendingRequest, cause: WaybillError): WaybillError {
  const text = `Its reply cannot be read. ${cause.message}`;
  const { format, stage, reason } = cause;
  return new WaybillError("deserialization-failed", text, {
    messageId,
    entityPath,
    cause,
    format,
    stage,
    reason,
  });
}
