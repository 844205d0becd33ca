import type { Connection } from "@waybill/amqp";
import { limitExceeded } from "../refusals/error.js";
import type { Peer } from "./peer.js";

/** Memory per waiting request, besides its bytes. */
const requestCost = 2048;

/**
 * The long-running requests of one client. They run one at a time, in turns shared with other clients, and pause while earlier responses
 * are unread.
 */
export class RequestLine {
  readonly #peer: Peer;
  #last: Promise<unknown> = Promise.resolve();

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Holds the memory of a request until it is answered. Throws if the client has too many pending requests. */
  hold(bytes: number): number {
    const cost = requestCost + bytes;
    if (this.#peer.budget.take(cost)) return cost;
    throw limitExceeded("The connection has too many requests in progress.");
  }

  /** Runs a request after the earlier ones are done. */
  run<Answer>(connection: Connection, answer: () => Promise<Answer>): Promise<Answer> {
    const run = this.#last.then(() => this.#whenWritable(connection)).then(answer);
    this.#last = run.catch(() => {});
    return run;
  }

  /** Waits for the next turn if the current one is over. */
  async pause(): Promise<void> {
    const { turns, usage } = this.#peer;
    if (turns.isOver()) await turns.next(usage);
  }

  async #whenWritable(connection: Connection): Promise<void> {
    await this.#peer.turns.next(this.#peer.usage);
    while (this.#peer.isFull(connection)) {
      await new Promise<void>((resolve) => this.#peer.whenWritten(resolve));
    }
  }
}
