import { setTimeout as delay } from "node:timers/promises";
import { controllerForMany, underEither } from "@waybill/foundation";
import { lostError, toAzureError } from "../sdk/azure-error.js";
import type { ServiceBusSenderLike } from "../sdk/service-bus-client.js";

/** How often to check whether the link is lost, in milliseconds. */
const checkEveryMs = 250;

/** How long a send is repeated after its link was lost, and the pause after a failure to connect, in milliseconds. */
const retryForMs = 15_000;
const retryAfterMs = 500;

/** Where the SDK's sender keeps its link; not in its types. */
interface WithLink {
  readonly _sender?: { readonly link?: SenderLink | undefined };
}

interface SenderLink {
  isOpen?(): boolean;
  /** Pending sends; a new object after the link was reattached, which forgets the pending ones. */
  readonly session?: { readonly outgoing?: unknown };
}

/** Watches pending sends and repeats them when their link was lost. The SDK leaves each one pending until its timeout. */
export class PendingSends {
  readonly #sender: ServiceBusSenderLike;
  readonly #path: string;
  /** The object that holds all pending sends once their link is open; and the controller aborted when it is lost. */
  #outgoing: unknown;
  #lost = controllerForMany();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(sender: ServiceBusSenderLike, path: string) {
    this.#sender = sender;
    this.#path = path;
  }

  /** Sends, and repeats the send if the link is lost meanwhile. Rejects as the last attempt does. */
  async run<Answer>(
    abortSignal: AbortSignal | undefined,
    send: (abortSignal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    this.#count++;
    let retryUntil: number | undefined;
    try {
      for (;;) {
        let lost: AbortSignal | undefined;
        try {
          this.#check();
          if (this.#outgoing === undefined) await this.#openLink(abortSignal);
          lost = this.#lost.signal;
          return await (abortSignal === undefined ? send(lost) : underEither(lost, abortSignal, send));
        } catch (error) {
          if (abortSignal?.aborted || this.#isClosed) throw error;
          if (lost?.aborted) retryUntil ??= performance.now() + retryForMs;
          const failure = lost?.aborted ? lostError(error, this.#path) : toAzureError(error, this.#path);
          if (retryUntil === undefined || performance.now() > retryUntil) throw failure;
          if (failure.code !== "connection-lost") throw failure;
          // A restarting broker refuses connections at first, which the SDK treats as an answer.
          if (!lost?.aborted) await delay(retryAfterMs, undefined, { signal: abortSignal });
        }
      }
    } finally {
      this.#count--;
    }
  }

  /** Aborts pending sends when the SDK's sender is closed. */
  close(): void {
    this.#isClosed = true;
    this.#lost.abort();
  }

  /**
   * Opens the link before a send: a link opened by the send itself could be lost unnoticed. The SDK asks the link for the maximum batch
   * size.
   */
  async #openLink(abortSignal: AbortSignal | undefined): Promise<void> {
    if ((this.#sender as WithLink)._sender === undefined) return;
    await this.#sender.createMessageBatch(abortSignal === undefined ? {} : { abortSignal });
    this.#check();
  }

  /** Checks the link, repeatedly while something is pending. */
  #check(): void {
    const link = (this.#sender as WithLink)._sender?.link;
    const outgoing = link?.isOpen?.() === true ? link.session?.outgoing : undefined;
    if (this.#outgoing !== undefined && this.#outgoing !== outgoing) {
      this.#lost.abort();
      this.#lost = controllerForMany();
    }
    this.#outgoing = outgoing;
    if (this.#timer === undefined && this.#count > 0) {
      this.#timer = setTimeout(this.#onTimer, checkEveryMs).unref();
    }
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#check();
  };
}
