import { durationMs, isPromise, LazyAbortController, onAbort, pause } from "@waybill/foundation";
import { loadedLater } from "../contracts/loaded-later.js";
import type { UndecodedMessage } from "../message/message.js";
import { backoffDelayMs } from "../receive/delivery/unavailable-backoff.js";
import { errorReporter } from "../receive/processing/error-reporter.js";
import type {
  CloseSubscriptionOptions,
  MessageSubscription,
} from "../receive/processing/processor-options.js";
import { requireHandlers, requirePrefetchable } from "../receive/processing/subscribe-settings.js";
import type { SessionProcessor, SessionProcessorSettings } from "./session-processor.js";
import {
  type ResolvedSubscribeSessionsOptions,
  resolveSubscribeSessionsOptions,
  type SessionMessageHandlers,
  type SubscribeSessionsOptions,
} from "./session-processor-options.js";

const sessionProcessors = loadedLater("sessions", () => import("./session-processor.js"));

type SessionProcessors = typeof import("./session-processor.js");

/** The subscription of `subscribeSessions`: processes sessions as soon as the code for it is loaded. */
export class SessionSubscription implements MessageSubscription {
  readonly #handlers: SessionMessageHandlers<unknown, UndecodedMessage>;
  readonly #options: ResolvedSubscribeSessionsOptions;
  readonly #settings: SessionProcessorSettings;
  readonly #onClosed: (subscription: SessionSubscription) => void;
  readonly #stopping = new LazyAbortController();
  readonly #stopListening: () => void;
  #processor: SessionProcessor | undefined;
  #closing: Promise<void> | undefined;

  /** Checks handlers and options and starts to process sessions. Throws `TypeError`. */
  constructor(
    handlers: SessionMessageHandlers<unknown, UndecodedMessage>,
    given: SubscribeSessionsOptions,
    settings: SessionProcessorSettings,
    onClosed: (subscription: SessionSubscription) => void,
  ) {
    requireHandlers(handlers);
    this.#options = resolveSubscribeSessionsOptions(given);
    requirePrefetchable(this.#options.prefetchCount, this.#options.receiveMode, settings.entityPath);
    this.#handlers = handlers;
    this.#settings = settings;
    this.#onClosed = onClosed;
    const loaded = sessionProcessors();
    if (isPromise(loaded)) void this.#startLater(loaded);
    else this.#start(loaded);
    // Errors of this close are ignored here; `client.close()` reports them.
    this.#stopListening = onAbort(given.abortSignal, () => void this.close().catch(() => {}));
  }

  close(options: CloseSubscriptionOptions = {}): Promise<void> {
    const { closeTimeoutInMs } = this.#options;
    this.#closing ??= this.#close(durationMs("closeTimeoutInMs", options.closeTimeoutInMs, closeTimeoutInMs));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start({ SessionProcessor }: SessionProcessors): void {
    if (this.#closing !== undefined) return;
    this.#processor = new SessionProcessor(this.#handlers, this.#options, this.#settings);
  }

  /** Loads the code again, at growing intervals, until that succeeds or the subscription closes. Never rejects. */
  async #startLater(loading: Promise<SessionProcessors>): Promise<void> {
    const { scheduler, backoff, entityPath } = this.#settings;
    const report = errorReporter(this.#handlers, entityPath, undefined);
    for (let attempts = 0; this.#closing === undefined; attempts++) {
      try {
        return this.#start(await (attempts === 0 ? loading : sessionProcessors()));
      } catch (error) {
        if (this.#closing === undefined) await report(error, "acceptSession");
        await pause(backoffDelayMs(backoff, attempts), scheduler, this.#stopping.signal);
      }
    }
  }

  /** Does not wait for code that is being loaded: without it, no session was accepted. */
  async #close(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    try {
      await this.#processor?.close(timeoutMs);
    } finally {
      this.#stopListening();
      this.#onClosed(this);
    }
  }
}
