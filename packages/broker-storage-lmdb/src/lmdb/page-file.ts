import { Buffer } from "node:buffer";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** How much of the file is read at once: adjacent pages are usually written together. */
const WINDOW_BYTES = 128 * 1024;
const KEPT_WINDOWS = 32;

/** The pages of a file, read through a small cache. Returned views never change. */
export class PageFile {
  readonly #descriptor: number;
  readonly #windows = new Map<number, Buffer>();

  constructor(path: string) {
    this.#descriptor = openSync(path, "r");
  }

  get byteLength(): number {
    return fstatSync(this.#descriptor).size;
  }

  /** Throws a `RangeError` if the file ends too early. */
  read(offset: number, byteLength: number): Buffer {
    const at = offset % WINDOW_BYTES;
    if (at + byteLength > WINDOW_BYTES) return this.#fetch(offset, byteLength, byteLength);
    const number = (offset - at) / WINDOW_BYTES;
    let window = this.#windows.get(number);
    if (window === undefined) {
      window = this.#fetch(offset - at, WINDOW_BYTES, at + byteLength);
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined && this.#windows.size === KEPT_WINDOWS) this.#windows.delete(oldest);
      this.#windows.set(number, window);
    }
    if (at + byteLength > window.byteLength) throw endsTooEarly();
    return window.subarray(at, at + byteLength);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #fetch(offset: number, byteLength: number, neededBytes: number): Buffer {
    const buffer = Buffer.allocUnsafeSlow(byteLength);
    let length = 0;
    while (length < byteLength) {
      const read = readSync(this.#descriptor, buffer, length, byteLength - length, offset + length);
      if (read === 0) break;
      length += read;
    }
    if (length < neededBytes) throw endsTooEarly();
    return buffer.subarray(0, length);
  }
}

function endsTooEarly(): RangeError {
  return new RangeError("its file ends too early");
}
