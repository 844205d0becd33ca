import { randomBytes } from "node:crypto";
import { byteDigits } from "@waybill/foundation";

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
    return `${this.#beginning}${byteDigits[last]}`;
  }
}
