import { randomBytes } from "node:crypto";

/** The last two digits of an id: looked up, because formatting them dominates the cost of an id. */
const LAST_DIGITS = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));

/** Ids for messages without one: 20 random hexadecimal digits per broker, then 12 digits of a counter. */
export class MadeIds {
  readonly #prefix = randomBytes(10).toString("hex");
  #count = 0;
  #beginning = "";

  next(): string {
    const last = ++this.#count % 256;
    if (last === 0 || this.#beginning === "") {
      this.#beginning =
        this.#prefix +
        Math.floor(this.#count / 256)
          .toString(16)
          .padStart(10, "0");
    }
    return `${this.#beginning}${LAST_DIGITS[last]}`;
  }
}
