import { Buffer } from "node:buffer";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** How much of the file is read at once: adjacent pages are usually written together. */
const windowBytes = 128 * 1024;
const keptWindows = 32;

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
    const at = offset % windowBytes;
    if (at + byteLength > windowBytes) return this.#fetch(offset, byteLength, byteLength);
    const number = (offset - at) / windowBytes;
    let window = this.#windows.get(number);
    if (window === undefined) {
      window = this.#fetch(offset - at, windowBytes, at + byteLength);
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined && this.#windows.size === keptWindows) this.#windows.delete(oldest);
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
