import { Buffer } from "node:buffer";

/** Size of the allocations that small copies share. */
const poolBytes = 16 * 1024;

/** Copies bytes. Small copies share an allocation, which is much cheaper than one each. */
export class CopyPool {
  #pool = new ArrayBuffer(poolBytes);
  #end = 0;

  /** A copy that belongs to the caller. */
  copy(bytes: Uint8Array): Uint8Array {
    const copy = this.#allocate(bytes.length);
    copy.set(bytes);
    return copy;
  }

  #allocate(length: number): Uint8Array {
    if (length > poolBytes / 8) return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
    if (this.#end + length > poolBytes) {
      this.#pool = Buffer.allocUnsafeSlow(poolBytes).buffer as ArrayBuffer;
      this.#end = 0;
    }
    const start = this.#end;
    this.#end += length;
    return new Uint8Array(this.#pool, start, length);
  }
}
