import type { DeliveryState } from "../frames/delivery-state.js";
import type { MemoryHolder } from "./memory-budget.js";

const FIRST_SIZE = 16_384;

/**
 * A delivery of which not every frame has arrived (2.6.14). Payloads are copied together as they come, so a
 * peer that sends a byte per frame cannot hold on to whole network buffers.
 */
export class PartialMessage {
  readonly id: number;
  tag: Uint8Array;
  readonly format: number;
  isSettled = false;
  state: DeliveryState | undefined;
  size = 0;
  /** Whether the message is too large, as every further payload is. */
  isDropped = false;
  readonly #holder: MemoryHolder;
  #buffer: Buffer | undefined;

  constructor(holder: MemoryHolder, id: number, tag: Uint8Array, format: number) {
    this.#holder = holder;
    this.id = id;
    this.tag = tag;
    this.format = format;
  }

  /** Adds a payload of a message of at most `limit` bytes, 0 for any; false when there is no memory for it. */
  append(payload: Uint8Array, limit = 0): boolean {
    const needed = this.size + payload.length;
    if ((!this.#buffer || needed > this.#buffer.length) && !this.#grow(needed, limit)) return false;
    this.#buffer?.set(payload, this.size);
    this.size = needed;
    return true;
  }

  /** Counts a further payload of a message that is too large, and forgets the others. */
  drop(payloadSize: number): void {
    this.forget();
    this.size += payloadSize;
    this.isDropped = true;
  }

  /** Forgets the payloads. */
  forget(): void {
    this.#holder.letGo(this.#buffer?.length ?? 0);
    this.#buffer = undefined;
  }

  /** The whole message with its last payload, which alone is not copied when it is all there is; `undefined` without memory for it. */
  complete(payload: Uint8Array): Uint8Array | undefined {
    if (this.size === 0) return payload;
    if (!this.append(payload, this.size + payload.length)) return undefined;
    const { size } = this;
    const message = this.#buffer?.subarray(0, size);
    this.forget();
    return message;
  }

  #grow(needed: number, limit: number): boolean {
    const generous = Math.max(FIRST_SIZE, needed * 2);
    const size = limit > 0 ? Math.max(needed, Math.min(generous, limit)) : generous;
    if (!this.#holder.hold(size - (this.#buffer?.length ?? 0))) return false;
    const grown = Buffer.allocUnsafe(size);
    if (this.#buffer) this.#buffer.copy(grown, 0, 0, this.size);
    // It is a view on input that would be kept with it.
    else this.tag = Uint8Array.prototype.slice.call(this.tag);
    this.#buffer = grown;
    return true;
  }
}
