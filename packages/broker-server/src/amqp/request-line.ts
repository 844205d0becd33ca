import type { Connection } from "@waybill/amqp";
import { AmqpRefusal } from "../refusals/error.js";
import type { Peer } from "./peer.js";

/** What a request costs while it waits, besides its bytes. */
const REQUEST_COST = 2048;
/** Output in bytes after which no more answers are made until it is written. */
const LARGEST_OUTPUT = 2 ** 20;

/**
 * The requests of one client that look at much. One works at a time, in turns that it shares with other clients, and none while earlier answers
 * wait to be read.
 */
export class RequestLine {
  readonly #peer: Peer;
  #last: Promise<unknown> = Promise.resolve();

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Takes in a request of so many bytes until it is answered. Throws when the client has too many in progress. */
  hold(bytes: number): number {
    const cost = REQUEST_COST + bytes;
    if (this.#peer.budget.take(cost)) return cost;
    throw new AmqpRefusal(
      "amqp:resource-limit-exceeded",
      "The connection has too many requests in progress.",
      403,
    );
  }

  /** Runs a request when those before it are done. */
  run<Answer>(connection: Connection, answer: () => Promise<Answer>): Promise<Answer> {
    const run = this.#last.then(() => this.#whenWritable(connection)).then(answer);
    this.#last = run.catch(() => {});
    return run;
  }

  /** Waits for the next turn if the present one is over. */
  async pause(): Promise<void> {
    const { turns, usage } = this.#peer;
    if (turns.isOver()) await turns.next(usage);
  }

  async #whenWritable(connection: Connection): Promise<void> {
    await this.#peer.turns.next(this.#peer.usage);
    while (this.#peer.isCongested || connection.outputSize > LARGEST_OUTPUT) {
      await new Promise<void>((resolve) => this.#peer.whenWritten(resolve));
    }
  }
}
