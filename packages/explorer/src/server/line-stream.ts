import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { toWire } from "../wire/to-wire.js";

/** A streamed response: one JSON object per line, which a page reads with a streamed `fetch`. */
export class LineStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(value: unknown): void {
    if (!this.#response.destroyed) this.#response.write(`${toWire(value)}\n`);
  }

  /** Resolves when the reader has caught up, or has disconnected. */
  async drained(): Promise<void> {
    if (!this.#response.writableNeedDrain || this.#response.destroyed) return;
    await Promise.race([once(this.#response, "drain"), once(this.#response, "close")]);
  }
}
