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
    const response = this.#response;
    if (!response.writableNeedDrain || response.destroyed) return;
    // Both listeners are removed by whichever comes first: the stream of counts waits here as often as its page is slow.
    await new Promise<void>((resolve) => {
      const end = () => {
        response.off("drain", end).off("close", end);
        resolve();
      };
      response.on("drain", end).on("close", end);
    });
  }
}
