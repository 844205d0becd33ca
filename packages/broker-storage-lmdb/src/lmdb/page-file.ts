import { Buffer } from "node:buffer";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** How much of the file is read at once: adjacent pages are usually written together. */
const windowBytes = 64 * 1024;
const keptWindows = 16;

interface Window {
  readonly bytes: Buffer;
  /** How much of it the file has. */
  length: number;
}

/** The pages of a file, read through a small cache. A returned view is valid until the next call: its memory is used again. */
export class PageFile {
  readonly byteLength: number;
  readonly #descriptor: number;
  readonly #windows = new Map<number, Window>();
  /** What begins in one window and ends in another. */
  #between: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#descriptor = openSync(path, "r");
    this.byteLength = fstatSync(this.#descriptor).size;
  }

  /** Throws a `RangeError` if the file ends too early. */
  read(offset: number, byteLength: number): Buffer {
    const at = offset % windowBytes;
    if (at + byteLength > windowBytes) return this.#readBetween(offset, byteLength);
    const number = (offset - at) / windowBytes;
    let window = this.#windows.get(number);
    if (window === undefined) {
      window = this.#takeWindow();
      window.length = this.#fetch(offset - at, window.bytes, windowBytes);
      this.#windows.set(number, window);
    }
    if (at + byteLength > window.length) throw endsTooEarly();
    return window.bytes.subarray(at, at + byteLength);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** A new window, or the memory of the oldest one. */
  #takeWindow(): Window {
    const [oldest] = this.#windows;
    if (oldest === undefined || this.#windows.size < keptWindows)
      return { bytes: Buffer.allocUnsafeSlow(windowBytes), length: 0 };
    this.#windows.delete(oldest[0]);
    return oldest[1];
  }

  #readBetween(offset: number, byteLength: number): Buffer {
    // A damaged length must not take memory that the file cannot fill.
    if (offset + byteLength > this.byteLength) throw endsTooEarly();
    if (this.#between.byteLength < byteLength) this.#between = Buffer.allocUnsafeSlow(byteLength);
    if (this.#fetch(offset, this.#between, byteLength) < byteLength) throw endsTooEarly();
    return this.#between.subarray(0, byteLength);
  }

  /** Reads into `target`; returns how many bytes the file has there. */
  #fetch(offset: number, target: Buffer, byteLength: number): number {
    let length = 0;
    while (length < byteLength) {
      const read = readSync(this.#descriptor, target, length, byteLength - length, offset + length);
      if (read === 0) break;
      length += read;
    }
    return length;
  }
}

function endsTooEarly(): RangeError {
  return new RangeError("its file ends too early");
}
