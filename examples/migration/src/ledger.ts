import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Order } from "./order-placed.js";

/** The two lists that are compared at the end: orders that were sent, and orders that were handled. */
export type LedgerName = "sent" | "handled";

/** Lists of orders in files, independent of the broker: one line of JSON each. */
export class Ledger {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Records an order. */
  note(name: LedgerName, { id, cents }: Order): void {
    appendFileSync(this.#path(name), `${JSON.stringify({ id, cents })}\n`);
  }

  /** All recorded orders, in order. */
  read(name: LedgerName): Order[] {
    if (!existsSync(this.#path(name))) return [];
    const lines = readFileSync(this.#path(name), "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as Order);
  }

  #path(name: LedgerName): string {
    return join(this.#directory, `${name}.ndjson`);
  }
}
