import type { Admission } from "../amqp/limits/admission.js";
import type { ConnectionBudget } from "../amqp/limits/connection-budget.js";
import { Usage } from "../amqp/limits/turns.js";
import { HttpRefusal } from "./error.js";

/** What the head of a request may hold until it is answered, beyond its body. */
const HEAD_BYTES = 64 * 1024;

/** The client at the other end of a connection: what it holds of the server's memory and time. */
export class HttpClient {
  readonly usage = new Usage();
  readonly #admission: Admission;
  readonly #budget: ConnectionBudget;
  #isTrusted = false;

  /** `drop` ends the connection, for the sake of others. */
  constructor(admission: Admission, drop: () => void) {
    this.#admission = admission;
    this.usage.group = admission.usageOf(undefined);
    this.#budget = admission.admit(() => {
      this.#budget.close();
      drop();
    });
    this.#budget.take(HEAD_BYTES);
  }

  /** The client is known from now on, by its key if it has to have one. Throws a refusal when there are too many like it. */
  trust(key?: string): void {
    this.usage.group = key === undefined ? undefined : this.#admission.usageOf(key);
    if (this.#isTrusted) return;
    const refusal = this.#admission.trust(this.#budget);
    if (refusal !== undefined) throw new HttpRefusal(503, refusal.message);
    this.#isTrusted = true;
  }

  /** Takes in a request, which holds memory until it is answered. Throws a refusal when the connection has too many of them. */
  open(): RequestMemory {
    return new RequestMemory(this.#budget);
  }

  close(): void {
    this.#budget.close();
  }
}

/** What a request costs until it is answered, beyond its body. */
const REQUEST_COST = 2048;

/** The memory that one request holds of its connection's. */
export class RequestMemory {
  readonly #budget: ConnectionBudget;
  #held = 0;
  #isReleased = false;

  constructor(budget: ConnectionBudget) {
    this.#budget = budget;
    this.hold(REQUEST_COST);
  }

  /** Takes memory into account. Throws a refusal when the connection has too much of it. */
  hold(bytes: number): void {
    if (this.#isReleased || !this.#budget.take(bytes))
      throw new HttpRefusal(503, "The connection has too many requests under way.");
    this.#held += bytes;
  }

  /** Makes room for a body of so many bytes, as an entity with large messages needs. */
  makeRoom(bytes: number): void {
    this.#budget.raiseLimit(bytes + 2 * HEAD_BYTES);
  }

  /** Gives all of it back. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.give(this.#held);
  }
}
