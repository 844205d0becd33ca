import { setTimeout as delay } from "node:timers/promises";
import { underEither } from "@waybill/core/transport";
import { controllerForMany } from "../foundation/controller-for-many.js";
import { lostError, toAzureError } from "../sdk/azure-error.js";
import type { ServiceBusSenderLike } from "../sdk/service-bus-client.js";

/** How often to look whether the link is lost, in milliseconds. */
const lookEveryMs = 250;

/** How long a send is made again after its link was lost, in milliseconds, and how long after it failed for want of a connection. */
const againForMs = 15_000;
const againAfterMs = 500;

/** Where the SDK's sender keeps its link; not part of its types. */
interface WithLink {
  readonly _sender?: { readonly link?: SenderLink | undefined };
}

interface SenderLink {
  isOpen?(): boolean;
  /** What waits for answers; another after the link was attached anew, which forgets what waited. */
  readonly session?: { readonly outgoing?: unknown };
}

/**
 * Watches over sends that wait for their answer, and makes them again when their link was lost. The SDK leaves each waiting until its
 * time-out.
 */
export class SendsUnderWay {
  readonly #sender: ServiceBusSenderLike;
  readonly #path: string;
  /** What all sends wait in, once their link is open; and what is aborted when it is lost. */
  #outgoing: unknown;
  #lost = controllerForMany();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(sender: ServiceBusSenderLike, path: string) {
    this.#sender = sender;
    this.#path = path;
  }

  /** Sends under a signal, and again if the link is lost meanwhile. Rejects with what the last attempt rejects with. */
  async run<Answer>(
    abortSignal: AbortSignal | undefined,
    send: (abortSignal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    this.#count += 1;
    let againUntil: number | undefined;
    try {
      for (;;) {
        let lost: AbortSignal | undefined;
        try {
          this.#look();
          if (this.#outgoing === undefined) await this.#openLink(abortSignal);
          lost = this.#lost.signal;
          return await (abortSignal === undefined ? send(lost) : underEither(lost, abortSignal, send));
        } catch (error) {
          if (abortSignal?.aborted || this.#isClosed) throw error;
          if (lost?.aborted) againUntil ??= performance.now() + againForMs;
          const failure = lost?.aborted ? lostError(error, this.#path) : toAzureError(error, this.#path);
          if (againUntil === undefined || performance.now() > againUntil) throw failure;
          if (failure.code !== "connection-lost") throw failure;
          // A broker that restarts refuses connections at first, which the SDK takes for an answer.
          if (!lost?.aborted) await delay(againAfterMs, undefined, { signal: abortSignal });
        }
      }
    } finally {
      this.#count -= 1;
    }
  }

  /** Ends what still waits when the SDK's sender is closed. */
  close(): void {
    this.#isClosed = true;
    this.#lost.abort();
  }

  /** A link that a send opens by itself could be lost before it was seen. The SDK asks the link for the size of a batch. */
  async #openLink(abortSignal: AbortSignal | undefined): Promise<void> {
    if ((this.#sender as WithLink)._sender === undefined) return;
    await this.#sender.createMessageBatch(abortSignal === undefined ? {} : { abortSignal });
    this.#look();
  }

  /** Looks again, and again, while something is under way. */
  #look(): void {
    const link = (this.#sender as WithLink)._sender?.link;
    const outgoing = link?.isOpen?.() === true ? link.session?.outgoing : undefined;
    if (this.#outgoing !== undefined && this.#outgoing !== outgoing) {
      this.#lost.abort();
      this.#lost = controllerForMany();
    }
    this.#outgoing = outgoing;
    if (this.#timer === undefined && this.#count > 0) {
      this.#timer = setTimeout(this.#onTimer, lookEveryMs).unref();
    }
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#look();
  };
}
