import { randomUUID } from "node:crypto";
import { required } from "@waybill/foundation";

/** A minimal queue with locks: an array, a map of tokens, and a promise per operation. Keeps bodies by reference. */
export class TrivialQueue<Body> {
  #bodies: Body[] = [];
  #head = 0;
  readonly #locks = new Map<string, Body>();

  async send(body: Body): Promise<void> {
    this.#bodies.push(body);
  }

  async receive(): Promise<string> {
    const token = randomUUID();
    this.#locks.set(token, required(this.#bodies[this.#head++]));
    if (this.#head > 10_000) {
      this.#bodies = this.#bodies.slice(this.#head);
      this.#head = 0;
    }
    return token;
  }

  async complete(token: string): Promise<void> {
    if (!this.#locks.delete(token)) throw new Error("lock lost");
  }
}
