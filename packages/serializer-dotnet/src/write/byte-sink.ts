import { utf8 } from "./utf8.js";

/** Collects bytes in memory that doubles when it is full. */
export class ByteSink {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** A copy of what was written. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  uint8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  uint16(value: number): void {
    this.#view.setUint16(this.#advance(2), value, true);
  }

  uint32(value: number): void {
    this.#view.setUint32(this.#advance(4), value, true);
  }

  uint64(value: bigint): void {
    this.#view.setBigUint64(this.#advance(8), BigInt.asUintN(64, value), true);
  }

  float32(value: number): void {
    this.#view.setFloat32(this.#advance(4), value, true);
  }

  float64(value: number): void {
    this.#view.setFloat64(this.#advance(8), value, true);
  }

  bytes(value: Uint8Array): void {
    const start = this.#advance(value.length);
    this.#bytes.set(value, start);
  }

  /** A name, prefix or namespace: its length in one to five bytes, and UTF-8. Source: [MC-NBFX] 2.1.2, 2.1.3. */
  name(text: string): void {
    const bytes = utf8(text);
    let left = bytes.length;
    while (left >= 0x80) {
      this.uint8((left & 0x7f) | 0x80);
      left >>>= 7;
    }
    this.uint8(left);
    this.bytes(bytes);
  }

  #advance(size: number): number {
    this.#reserve(size);
    const start = this.#length;
    this.#length += size;
    return start;
  }

  #reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
