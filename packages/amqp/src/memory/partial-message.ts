import type { DeliveryState } from "../frames/delivery-state.js";
import type { MemoryHolder } from "./memory-budget.js";

const firstSize = 16_384;

/**
 * An incomplete delivery (2.6.14). Payloads are copied together as they arrive, so a peer that sends one byte per frame cannot keep whole
 * network buffers in memory.
 */
export class PartialMessage {
  readonly id: number;
  tag: Uint8Array;
  readonly format: number;
  isSettled = false;
  state: DeliveryState | undefined;
  size = 0;
  /** Whether the message is too large; further payloads are discarded. */
  isDropped = false;
  readonly #holder: MemoryHolder;
  #buffer: Buffer | undefined;

  constructor(holder: MemoryHolder, id: number, tag: Uint8Array, format: number) {
    this.#holder = holder;
    this.id = id;
    this.tag = tag;
    this.format = format;
  }

  /** Adds a payload of a message of at most `limit` bytes (0 for unlimited); returns false if there is no memory for it. */
  append(payload: Uint8Array, limit = 0): boolean {
    const needed = this.size + payload.length;
    if ((!this.#buffer || needed > this.#buffer.length) && !this.#grow(needed, limit)) return false;
    this.#buffer?.set(payload, this.size);
    this.size = needed;
    return true;
  }

  /** Counts a payload of a message that is too large, and discards the earlier ones. */
  drop(payloadSize: number): void {
    this.forget();
    this.size += payloadSize;
    this.isDropped = true;
  }

  /** Discards the payloads. */
  forget(): void {
    this.#holder.free(this.#buffer?.length ?? 0);
    this.#buffer = undefined;
  }

  /** The whole message with its last payload; `undefined` if there is no memory for it. A single payload is not copied. */
  complete(payload: Uint8Array): Uint8Array | undefined {
    if (this.size === 0) return payload;
    if (!this.append(payload, this.size + payload.length)) return undefined;
    const { size } = this;
    const message = this.#buffer?.subarray(0, size);
    this.forget();
    return message;
  }

  #grow(needed: number, limit: number): boolean {
    const generous = Math.max(firstSize, needed * 2);
    const size = limit > 0 ? Math.max(needed, Math.min(generous, limit)) : generous;
    if (!this.#holder.hold(size - (this.#buffer?.length ?? 0))) return false;
    const grown = Buffer.allocUnsafe(size);
    if (this.#buffer) this.#buffer.copy(grown, 0, 0, this.size);
    // The tag is a view that would keep the whole input in memory.
    else this.tag = Uint8Array.prototype.slice.call(this.tag);
    this.#buffer = grown;
    return true;
  }
}
