import type { ReceivedServiceBusMessage } from "../service-bus-client.js";
import { isLinkLost } from "./lost-link.js";

/** How often to look whether a link is lost, in milliseconds. */
const lookEveryMs = 250;

/** Watches over settlements that wait for their answer, because the SDK does not tell them that their link was lost. */
export class SettlementsUnderWay {
  readonly #waiting = new Map<ReceivedServiceBusMessage, () => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Resolves as `settling` does. If the link is lost before, resolves as `settleAgain` does, which must not need the link. */
  watch(
    message: ReceivedServiceBusMessage,
    settling: Promise<void>,
    settleAgain: () => Promise<void>,
  ): Promise<void> {
    this.#timer ??= setInterval(this.#look, lookEveryMs).unref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(message, () => {
        this.#waiting.delete(message);
        settleAgain().then(resolve, reject);
      });
      settling.then(
        () => {
          this.#waiting.delete(message);
          resolve();
        },
        (error: unknown) => {
          if (this.#waiting.delete(message)) reject(error);
        },
      );
    });
  }

  readonly #look = (): void => {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const [message, settleAgain] of this.#waiting) if (isLinkLost(message)) settleAgain();
  };
}
