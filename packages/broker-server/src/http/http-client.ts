import type { Admission } from "../limits/admission.js";
import type { ConnectionBudget } from "../limits/connection-budget.js";
import { Usage } from "../limits/turns.js";
import { HttpRefusal } from "./http-refusal.js";

/** Memory of a request's head until it is answered, besides its body. */
const headBytes = 64 * 1024;

/** The client of a connection: its use of the server's memory and time. */
export class HttpClient {
  readonly usage = new Usage();
  readonly #admission: Admission;
  readonly #budget: ConnectionBudget;
  #isTrusted = false;

  /** `drop` ends the connection when others need its memory. */
  constructor(admission: Admission, drop: () => void) {
    this.#admission = admission;
    this.usage.group = admission.usageOf(undefined);
    this.#budget = admission.admit(() => {
      this.#budget.close();
      drop();
    });
    this.#budget.take(headBytes);
  }

  /** Gives an authenticated client its full limits. Throws if its key has too many connections. */
  trust(key?: string): void {
    this.usage.group = key === undefined ? undefined : this.#admission.usageOf(key);
    if (this.#isTrusted) return;
    const refusal = this.#admission.trust(this.#budget);
    if (refusal !== undefined) throw new HttpRefusal(503, refusal.message);
    this.#isTrusted = true;
  }

  /** Adds a request, which holds memory until it is answered. Throws if the connection has too many. */
  open(): RequestMemory {
    return new RequestMemory(this.#budget);
  }

  close(): void {
    this.#budget.close();
  }
}

/** Memory of a request until it is answered, besides its body. */
const requestCost = 2048;

/** The memory that one request holds within its connection's budget. */
export class RequestMemory {
  readonly #budget: ConnectionBudget;
  #held = 0;
  #isReleased = false;

  constructor(budget: ConnectionBudget) {
    this.#budget = budget;
    this.hold(requestCost);
  }

  /** Adds memory. Throws if the connection has too much. */
  hold(bytes: number): void {
    if (this.#isReleased || !this.#budget.take(bytes))
      throw new HttpRefusal(503, "The connection has too many requests in progress.");
    this.#held += bytes;
  }

  /** Raises the limit for a body of this size, for entities with large messages. */
  makeRoom(bytes: number): void {
    this.#budget.raiseLimit(bytes + 2 * headBytes);
  }

  /** Releases all of it. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.give(this.#held);
  }
}
