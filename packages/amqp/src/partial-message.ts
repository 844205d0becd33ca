import type { DeliveryState } from "./frames/delivery-state.js";

const FIRST_SIZE = 16_384;

/**
 * A delivery of which not every frame has arrived (2.6.14). Payloads are copied together as they come, so a
 * peer that sends a byte per frame cannot hold on to whole network buffers.
 */
export class PartialMessage {
  readonly id: number;
  readonly tag: Uint8Array;
  readonly format: number;
  isSettled = false;
  state: DeliveryState | undefined;
  size = 0;
  #buffer: Buffer | undefined;

  constructor(id: number, tag: Uint8Array, format: number) {
    this.id = id;
    this.tag = tag;
    this.format = format;
  }

  append(payload: Uint8Array): void {
    const needed = this.size + payload.length;
    if (!this.#buffer || needed > this.#buffer.length) this.#grow(needed);
    this.#buffer?.set(payload, this.size);
    this.size = needed;
  }

  /** Counts a further payload of a message that is too large, and forgets the others. */
  drop(payloadSize: number): void {
    this.#buffer = undefined;
    this.size += payloadSize;
  }

  /** The whole message with its last payload, which alone is not copied when it is all there is. */
  complete(payload: Uint8Array): Uint8Array {
    if (this.size === 0) return payload;
    this.append(payload);
    return (this.#buffer as Buffer).subarray(0, this.size);
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafe(Math.max(FIRST_SIZE, needed * 2));
    this.#buffer?.copy(grown, 0, 0, this.size);
    this.#buffer = grown;
  }
}
