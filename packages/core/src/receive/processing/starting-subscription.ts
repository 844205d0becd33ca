import {
  durationMs,
  isPromise,
  LazyAbortController,
  onAbort,
  pause,
  type Scheduler,
} from "@waybill/foundation";
import type { Awaitable } from "../../contracts/serializer.js";
import { backoffDelayMs, type UnavailableBackoff } from "../delivery/unavailable-backoff.js";
import { type ErrorReporter, errorReporter } from "./error-reporter.js";
import type {
  CloseSubscriptionOptions,
  ErrorSource,
  MessageHandlers,
  MessageSubscription,
} from "./processor-options.js";

/** A processor of messages or of sessions. */
export interface RunningProcessor {
  /** Stops it; resolves when its handlers have finished, or when the time is up. */
  close(timeoutMs: number): Promise<void>;
}

/** What a subscription starts, and for whom. */
export interface StartingSubscriptionSettings {
  /** Loads the code of the processor, if that was not done before; the function that it returns starts it. */
  readonly load: () => Awaitable<() => RunningProcessor>;
  readonly handlers: Pick<MessageHandlers, "processError">;
  /** The step in which errors of loading and starting occur. */
  readonly errorSource: ErrorSource;
  readonly entityPath: string;
  readonly closeTimeoutInMs: number;
  readonly abortSignal: AbortSignal | undefined;
  readonly scheduler: Scheduler;
  readonly backoff: Required<UnavailableBackoff>;
  readonly onClosed: (subscription: StartingSubscription) => void;
}

/** A subscription that starts to process messages or sessions as soon as the code for it is loaded. */
export class StartingSubscription implements MessageSubscription {
  readonly #settings: StartingSubscriptionSettings;
  readonly #report: ErrorReporter;
  readonly #stopping = new LazyAbortController();
  readonly #stopListening: () => void;
  #processor: RunningProcessor | undefined;
  #closing: Promise<void> | undefined;

  /** Throws what the start throws if the code is loaded. */
  constructor(settings: StartingSubscriptionSettings) {
    const { load, handlers, entityPath, abortSignal } = settings;
    this.#settings = settings;
    this.#report = errorReporter(handlers, entityPath, undefined);
    const loaded = load();
    if (isPromise(loaded)) void this.#startLater(loaded);
    else this.#processor = loaded();
    // Errors of this close are ignored here; closing the receiver or the client reports them.
    this.#stopListening = onAbort(abortSignal, () => void this.close().catch(() => {}));
  }

  close(options: CloseSubscriptionOptions = {}): Promise<void> {
    const { closeTimeoutInMs } = this.#settings;
    this.#closing ??= this.#close(durationMs("closeTimeoutInMs", options.closeTimeoutInMs, closeTimeoutInMs));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Starts, or reports why that is impossible. Never rejects. */
  async #startLater(loading: Promise<() => RunningProcessor>): Promise<void> {
    const start = await this.#untilLoaded(loading);
    if (start === undefined) return;
    try {
      this.#processor = start();
    } catch (error) {
      await this.#report(error, this.#settings.errorSource);
    }
  }

  /** Loads the code again, at growing intervals, until that succeeds; undefined if the subscription is closed first. */
  async #untilLoaded(
    loading: Promise<() => RunningProcessor>,
  ): Promise<(() => RunningProcessor) | undefined> {
    const { load, errorSource, scheduler, backoff } = this.#settings;
    for (let attempts = 0; this.#closing === undefined; attempts++) {
      try {
        const start = await (attempts === 0 ? loading : load());
        return this.#closing === undefined ? start : undefined;
      } catch (error) {
        if (this.#closing === undefined) await this.#report(error, errorSource);
        await pause(backoffDelayMs(backoff, attempts), scheduler, this.#stopping.signal);
      }
    }
    return undefined;
  }

  /** Does not wait for code that is being loaded: without it, nothing was received. */
  async #close(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    try {
      await this.#processor?.close(timeoutMs);
    } finally {
      this.#stopListening();
      this.#settings.onClosed(this);
    }
  }
}
