import { WaybillError } from "../errors/error.js";
import type { Scheduler, Timer } from "../foundation/scheduler.js";
import type { ReceivedMessage } from "../message/message.js";
import type { ProcessErrorArgs } from "../processing/processor-options.js";
import type { Receiver } from "../receiving/receiver.js";
import type { RequestReplyClient } from "./request-reply-client.js";

/** Where replies are received: a queue or a topic's subscription, and its session. */
export interface ReplySource {
  readonly queueOrTopic: string;
  readonly subscription: string | undefined;
  readonly sessionId: string | undefined;
}

/** Dependencies of a reply link. */
export interface ReplyLinkSettings {
  readonly source: ReplySource;
  readonly client: Pick<RequestReplyClient, "createReceiver" | "acceptSession">;
  readonly scheduler: Scheduler;
  readonly maxConcurrentReplies: number;
  /** Whether requests are pending, so that a retry makes sense. */
  readonly isNeeded: () => boolean;
  /** Called with each reply. A reply that it does not settle is completed when it resolves. */
  readonly onReply: (reply: ReceivedMessage, receiver: Receiver) => Promise<void> | void;
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
  #receiver: Receiver | undefined;
  #opening: Promise<void> | undefined;
  #retry: { readonly timer: Timer; readonly resume: () => void } | undefined;
  /** The last error of receiving; undefined while it receives. */
  lastError: unknown;

  constructor(settings: ReplyLinkSettings) {
    this.#settings = settings;
  }

  /** Resolves when replies are being received; returns undefined if they already are. Rejects when a retry would not help. */
  open(): Promise<void> | undefined {
    if (this.#receiver !== undefined) return undefined;
    const { source, client } = this.#settings;
    if (source.sessionId === undefined) {
      const { queueOrTopic, subscription } = source;
      this.#attach(
        subscription === undefined
          ? client.createReceiver(queueOrTopic)
          : client.createReceiver(queueOrTopic, subscription),
      );
      return undefined;
    }
    this.#opening ??= this.#acceptUntilHeld(source.sessionId).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Waits for the replies in flight and releases the session. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#retry?.timer.cancel();
    this.#retry?.resume();
    await this.#opening?.catch(() => {});
    await this.#receiver?.close();
  }

  #attach(receiver: Receiver): void {
    this.#receiver = receiver;
    this.lastError = undefined;
    receiver.subscribe(
      {
        processMessage: (reply) => this.#settings.onReply(reply, receiver),
        processError: (args) => this.#onError(args, receiver),
      },
      { maxConcurrentCalls: this.#settings.maxConcurrentReplies },
    );
  }

  async #acceptUntilHeld(sessionId: string): Promise<void> {
    for (;;) {
      try {
        const receiver = await this.#accept(sessionId);
        if (!this.#isClosed) return this.#attach(receiver);
        await receiver.close();
      } catch (error) {
        this.lastError = error;
        const mayHelp = error instanceof WaybillError && error.retryable && this.#settings.isNeeded();
        if (!mayHelp || this.#isClosed) throw error;
        await this.#wait();
      }
      if (this.#isClosed) throw new WaybillError("closed", "The requester is closed.");
    }
  }

  #accept(sessionId: string): Promise<Receiver> {
    const { source, client } = this.#settings;
    const options = {
      abortSignal: this.#closing.signal,
      maxAutoLockRenewalDurationInMs: Number.POSITIVE_INFINITY,
    };
    const { queueOrTopic, subscription } = source;
    return subscription === undefined
      ? client.acceptSession(queueOrTopic, sessionId, options)
      : client.acceptSession(queueOrTopic, subscription, sessionId, options);
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        this.#retry = undefined;
        resolve();
      };
      this.#retry = { timer: this.#settings.scheduler.schedule(retryDelayMs, resume), resume };
    });
  }

  #onError(args: ProcessErrorArgs, receiver: Receiver): void {
    this.#settings.onError(args);
    if (args.errorSource !== "receive" || receiver !== this.#receiver || this.#isClosed) return;
    const error = WaybillError.from(args.error);
    this.lastError = error;
    if (error.code === "session-lock-lost") this.#reopen(receiver);
    else if (!error.retryable) this.#settings.onBroken(error);
  }

  #reopen(lost: Receiver): void {
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
