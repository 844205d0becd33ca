import { WaybillError } from "../errors/error.js";
import type { Scheduler, Timer } from "../foundation/scheduler.js";
import type { ReceivedMessage } from "../message/message.js";
import type { ProcessErrorArgs } from "../processing/processor-options.js";
import type { Receiver } from "../receiving/receiver.js";
import type { RequestReplyClient } from "./request-reply-client.js";

/** Where replies come from: a queue or a topic's subscription, and the session in it. */
export interface ReplySource {
  readonly queueOrTopic: string;
  readonly subscription: string | undefined;
  readonly sessionId: string | undefined;
}

/** What a link works with. */
export interface ReplyLinkSettings {
  readonly source: ReplySource;
  readonly client: Pick<RequestReplyClient, "createReceiver" | "acceptSession">;
  readonly scheduler: Scheduler;
  readonly maxConcurrentReplies: number;
  /** Whether anybody waits, so that it is worth trying again. */
  readonly isNeeded: () => boolean;
  /** Gets each reply. What it leaves open is completed when it resolves. */
  readonly onReply: (reply: ReceivedMessage, receiver: Receiver) => Promise<void> | void;
  readonly onError: (args: ProcessErrorArgs) => void;
  /** Replies cannot be received, and trying again would not help. */
  readonly onBroken: (error: WaybillError) => void;
}

/** How soon a session that could not be accepted is tried again, in milliseconds. */
const retryDelayMs = 500;

/**
 * The way in for replies: one receiver, opened when it is first needed. The session of a link that was lost is accepted again as long as
 * requests wait.
 */
export class ReplyLink {
  readonly #settings: ReplyLinkSettings;
  readonly #closing = new AbortController();
  #receiver: Receiver | undefined;
  #opening: Promise<void> | undefined;
  #retry: { readonly timer: Timer; readonly resume: () => void } | undefined;
  /** What kept it from receiving last; undefined while it receives. */
  lastError: unknown;

  constructor(settings: ReplyLinkSettings) {
    this.#settings = settings;
  }

  /** Resolves when replies are received; undefined when they are already. Rejects when trying again would not help. */
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

  /** Waits for the replies that are on the way in, and frees the session. */
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
