import type { ReceivedServiceBusMessage } from "../service-bus-client.js";
import { isLinkLost } from "./lost-link.js";

/** How often to look whether a link is lost, in milliseconds. */
const lookEveryMs = 250;

/** A settlement that waits for its answer. */
interface Watched {
  readonly message: ReceivedServiceBusMessage;
  readonly settleAgain: () => void;
  /** Where it stands among the others; -1 once it is over. */
  index: number;
}

/** Watches over settlements that wait for their answer, because the SDK does not tell them that their link was lost. */
export class SettlementsUnderWay {
  /**
   * In no order. The garbage that a `Map` leaves whenever it reorganizes itself can keep all that was ever in it from young collections;
   * with entries that come and go for each message, that took a fifth of the time.
   */
  readonly #watched: Watched[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Resolves as `settling` does. If the link is lost before, resolves as `settleAgain` does, which must not need the link. */
  watch(
    message: ReceivedServiceBusMessage,
    settling: Promise<void>,
    settleAgain: () => Promise<void>,
  ): Promise<void> {
    this.#timer ??= setInterval(this.#look, lookEveryMs).unref();
    return new Promise((resolve, reject) => {
      const watched: Watched = {
        message,
        settleAgain: () => void settleAgain().then(resolve, reject),
        index: this.#watched.length,
      };
      this.#watched.push(watched);
      settling.then(
        () => {
          this.#forget(watched);
          resolve();
        },
        (error: unknown) => {
          if (this.#forget(watched)) reject(error);
        },
      );
    });
  }

  /** Returns whether it was watched until now. */
  #forget(watched: Watched): boolean {
    const { index } = watched;
    if (index < 0) return false;
    watched.index = -1;
    const last = this.#watched.pop()!;
    if (last !== watched) {
      this.#watched[index] = last;
      last.index = index;
    }
    return true;
  }

  readonly #look = (): void => {
    if (this.#watched.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const watched of this.#watched.filter(({ message }) => isLinkLost(message))) {
      this.#forget(watched);
      watched.settleAgain();
    }
  };
}
