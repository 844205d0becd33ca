import { Buffer } from "node:buffer";

/** Size of the allocations that small copies share. */
const POOL_BYTES = 16 * 1024;

/** Copies bytes. Small copies share an allocation, which is much cheaper than one each. */
export class CopyPool {
  #pool = new ArrayBuffer(POOL_BYTES);
  #end = 0;

  /** A copy that belongs to the caller. */
  copy(bytes: Uint8Array): Uint8Array {
    const copy = this.#allocate(bytes.byteLength);
    copy.set(bytes);
    return copy;
  }

  #allocate(length: number): Uint8Array {
    if (length > POOL_BYTES / 8) return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
    if (this.#end + length > POOL_BYTES) {
      this.#pool = Buffer.allocUnsafeSlow(POOL_BYTES).buffer as ArrayBuffer;
      this.#end = 0;
    }
    const start = this.#end;
    this.#end += length;
    return new Uint8Array(this.#pool, start, length);
  }
}
