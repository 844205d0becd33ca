import { WaybillError } from "../errors/error.js";
import type { MessageSubscription } from "../processing/processor-options.js";

/** What a client closes with itself. */
export type ClientPart = Pick<MessageSubscription, "close">;

/** What a client has open, until it is closed with all of it. */
export class OpenParts {
  readonly #parts = new Set<ClientPart>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Keeps something to be closed with the client. */
  add<Part extends ClientPart>(part: Part): Part {
    this.#parts.add(part);
    return part;
  }

  /** Lets go of what has closed by itself. */
  readonly forget = (part: ClientPart): void => {
    this.#parts.delete(part);
  };

  /** Throws `closed` once the client is closed. */
  requireOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  /** Closes every one of them, even when one fails; rejects with the first failure. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // What is closed first must not cut off the handlers of another.
    const closed = await Promise.allSettled(Array.from(this.#parts, (part) => part.close()));
    for (const result of closed) if (result.status === "rejected") throw result.reason;
  }
}

/** The error of what is asked of a closed client. */
export function closedError(): WaybillError {
  return new WaybillError("closed", "The client is closed.");
}
