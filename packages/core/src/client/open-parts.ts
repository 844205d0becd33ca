import { WaybillError } from "../errors/error.js";
import type { MessageSubscription } from "../receive/processing/processor-options.js";

/** Something that a client closes with itself. */
export type ClientPart = Pick<MessageSubscription, "close">;

/** The open senders, receivers and subscriptions of a client. */
export class OpenParts {
  readonly #parts = new Set<ClientPart>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds something to close with the client. */
  add<Part extends ClientPart>(part: Part): Part {
    this.#parts.add(part);
    return part;
  }

  /** Removes something that has closed itself. */
  readonly forget = (part: ClientPart): void => {
    this.#parts.delete(part);
  };

  /** Throws a `closed` error once the client is closed. */
  requireOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  /** Closes all of them, even if one fails; rejects with the first error. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Waits for all, so that after one fails the caller does not close the transport while handlers of others run.
    const closed = await Promise.allSettled(Array.from(this.#parts, (part) => part.close()));
    for (const result of closed) if (result.status === "rejected") throw result.reason;
  }
}

/** The error of calls on a closed client. */
export function closedError(): WaybillError {
  return new WaybillError("closed", "The client is closed.");
}
