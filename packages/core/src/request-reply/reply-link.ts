import { pause } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";
import type { ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type { ProcessErrorArgs } from "../receive/processing/processor-options.js";
import type { Receiver } from "../receive/receiver/receiver.js";
import type { ReplyEntity, RequestReplyClient } from "./request-reply-client.js";

/** A receiver in peek-lock mode, which returns no undecoded messages. */
export type ReplyReceiver = Receiver<UndecodedMessage>;

/** Dependencies of a reply link. */
export interface ReplyLinkSettings {
  readonly entity: ReplyEntity;
  /** The session for replies. */
  readonly sessionId: string | undefined;
  readonly client: RequestReplyClient;
  readonly maxConcurrentReplies: number;
  /** Whether requests are pending, so that a retry makes sense. */
  readonly isNeeded: () => boolean;
  /** Called with each reply. A reply that it does not settle is completed when it resolves. */
  readonly onReply: (reply: ReceivedMessage, receiver: ReplyReceiver) => Promise<void> | void;
  readonly onError: (args: ProcessErrorArgs) => void;
  /** Called when replies cannot be received and a retry would not help. */
  readonly onBroken: (error: WaybillError) => void;
}

/** The delay before accepting a session is retried, in milliseconds. */
const retryDelayMs = 500;

/**
 * The receiver of replies, opened on first use. If its session is lost, it is accepted again while requests are pending.
 */
export class ReplyLink {
  readonly #settings: ReplyLinkSettings;
  readonly #closing = new AbortController();
  #receiver: ReplyReceiver | undefined;
  #opening: Promise<void> | undefined;
  /** The last error of receiving; undefined while it receives. */
  lastError: unknown;

  constructor(settings: ReplyLinkSettings) {
    this.#settings = settings;
  }

  /** Resolves when replies are being received; returns undefined if they already are. Rejects when a retry would not help. */
  open(): Promise<void> | undefined {
    if (this.#receiver !== undefined) return undefined;
    const { entity, sessionId, client } = this.#settings;
    if (sessionId === undefined) {
      this.#attach(client.createReceiver(entity));
      return undefined;
    }
    this.#opening ??= this.#acceptUntilHeld(sessionId).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Waits for the replies in flight and releases the session. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opening?.catch(() => {});
    await this.#receiver?.close();
  }

  #attach(receiver: ReplyReceiver): void {
    this.#receiver = receiver;
    this.lastError = undefined;
    receiver.subscribe(
      {
        processMessage: (reply) => this.#settings.onReply(reply as ReceivedMessage, receiver),
        processError: (args) => this.#onError(args, receiver),
      },
      { maxConcurrentCalls: this.#settings.maxConcurrentReplies },
    );
  }

  async #acceptUntilHeld(sessionId: string): Promise<void> {
    const { entity, client } = this.#settings;
    const abortSignal = this.#closing.signal;
    const maxAutoLockRenewalDurationInMs = Number.POSITIVE_INFINITY;
    for (;;) {
      try {
        const options = { abortSignal, maxAutoLockRenewalDurationInMs };
        const receiver = await client.acceptSession(entity, sessionId, options);
        if (!this.#isClosed) return this.#attach(receiver);
        await receiver.close();
      } catch (error) {
        this.lastError = error;
        const mayHelp = error instanceof WaybillError && error.retryable && this.#settings.isNeeded();
        if (!mayHelp || this.#isClosed) throw error;
        await pause(retryDelayMs, client.scheduler, abortSignal);
      }
      if (this.#isClosed) throw new WaybillError("closed", "The requester is closed.");
    }
  }

  #onError(args: ProcessErrorArgs, receiver: ReplyReceiver): void {
    this.#settings.onError(args);
    if (args.errorSource !== "receive" || receiver !== this.#receiver || this.#isClosed) return;
    const error = WaybillError.from(args.error);
    this.lastError = error;
    if (error.code === "session-lock-lost") this.#reopen(receiver);
    else if (!error.retryable) this.#settings.onBroken(error);
  }

  #reopen(lost: ReplyReceiver): void {
    this.#receiver = undefined;
    void lost.close().catch(() => {});
    if (!this.#settings.isNeeded()) return;
    this.open()?.catch((error: unknown) => {
      if (!this.#isClosed) this.#settings.onBroken(WaybillError.from(error));
    });
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }
}
