import { randomBytes } from "node:crypto";

/** The last two digits of an id: looked up, for making each again costs more than all the rest of an id. */
const LAST_DIGITS = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));

/** Ids for messages that come without: 20 random hexadecimal digits, the same for all of one broker, then 12 that count. */
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
