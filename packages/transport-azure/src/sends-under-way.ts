import { underEither, WaybillError } from "@waybill/core";
import { controllerForMany } from "./controller-for-many.js";
import type { ServiceBusSenderLike } from "./service-bus-client.js";

/** How often to look whether the link is lost, in milliseconds. */
const lookEveryMs = 250;

/** So often a link may be lost under one send; the SDK's own attempts at opening one come in addition. */
const mostAttempts = 20;

/** Where the SDK's sender keeps its link; not part of its types. */
interface WithLink {
  readonly _sender?: { readonly link?: SenderLink | undefined };
}

interface SenderLink {
  isOpen?(): boolean;
}

/**
 * Watches over sends that wait for their answer, and makes them again when their link was lost. The SDK leaves each waiting until its
 * time-out; and if it opens the connection anew while one waits, which it does when the broker has closed it and the socket is still there,
 * the timer of that one throws where nobody can catch it, which ends the process (rhea-promise 3.0.3, `send` in `awaitableSender.js`).
 */
export class SendsUnderWay {
  readonly #sender: ServiceBusSenderLike;
  /** The link that all sends wait for, once it is open; and what is aborted when it is lost. */
  #link: SenderLink | undefined;
  #lost = controllerForMany();
  #count = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(sender: ServiceBusSenderLike) {
    this.#sender = sender;
  }

  /** Sends under a signal, as often as it needs to. Rejects with `connection-lost` after so many lost links, else with what it rejects with. */
  async run<Answer>(
    abortSignal: AbortSignal | undefined,
    send: (abortSignal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    this.#count += 1;
    this.#timer ??= setInterval(this.#look, lookEveryMs).unref();
    try {
      for (let attempt = 1; ; attempt++) {
        this.#look();
        const { signal } = this.#lost;
        try {
          return await (abortSignal === undefined ? send(signal) : underEither(signal, abortSignal, send));
        } catch (error) {
          if (!signal.aborted || abortSignal?.aborted || this.#isClosed) throw error;
          if (attempt === mostAttempts) {
            throw new WaybillError("connection-lost", "The link was lost, again and again.", {
              cause: error,
            });
          }
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

  readonly #look = (): void => {
    if (this.#count === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const link = (this.#sender as WithLink)._sender?.link;
    const open = link?.isOpen?.() === true ? link : undefined;
    if (this.#link !== undefined && this.#link !== open) {
      this.#lost.abort();
      this.#lost = controllerForMany();
    }
    this.#link = open;
  };
}
