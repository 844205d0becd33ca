import { toBuffer } from "../codec/byte-reader.js";
import { giveBackMemory, takeMemory } from "./gather-memory.js";

/** Handles the units of a stream: protocol headers of 8 bytes, and frames. */
export interface FrameSink {
  /** Whether the next 8 bytes are a protocol header. */
  readonly awaitsProtocolHeader: boolean;
  /** Maximum frame size to accept, in bytes. */
  readonly maxFrameSize: number;
  /** Whether the rest of the input must be discarded. */
  readonly ignoresInput: boolean;
  /** Whether the rest of the input must wait for `proceed`. */
  readonly mustWait: boolean;
  /** Takes memory for a frame that arrives in pieces; returns false if there is none, and must then ignore further input. */
  holdFrame(bytes: number): boolean;
  /** Releases that memory. */
  free(bytes: number): void;
  onProtocolHeader(header: Buffer): void;
  /** Handles a frame from `start` to `end`, including its 8-byte header. Must not keep views it does not need. */
  onFrame(buffer: Buffer, start: number, end: number): void;
  /** Called for a frame of invalid size. Must then ignore further input. */
  onFrameSizeError(size: number): void;
}

const headerSize = 8;

/**
 * Splits a byte stream into frames (2.3). Complete frames are passed on in place; a frame split across pieces of input is collected, after
 * a check of its announced size, in memory that grows with what has arrived.
 */
export class FrameSplitter {
  readonly #sink: FrameSink;
  #partial: Buffer | undefined;
  #filled = 0;
  /** Total size of the unit in `#partial`. */
  #size = 0;
  /** The last collected frame. */
  #gathered: Buffer | undefined;
  /** Input waiting for `proceed`. */
  #waiting: Buffer[] = [];

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Whether input waits for `proceed`. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  push(bytes: Uint8Array): void {
    if (this.#sink.ignoresInput) return;
    this.#waiting.push(toBuffer(bytes));
    if (this.#waiting.length === 1) this.proceed();
  }

  /** Continues with waiting input, until the sink makes it wait again. */
  proceed(): void {
    const sink = this.#sink;
    for (let chunk = this.#waiting[0]; chunk !== undefined; chunk = this.#waiting[0]) {
      let position = 0;
      while (position < chunk.length && !sink.ignoresInput) {
        if (sink.mustWait) {
          this.#waiting[0] = chunk.subarray(position);
          return;
        }
        position = this.#partial ? this.#fill(this.#partial, chunk, position) : this.#take(chunk, position);
      }
      if (sink.ignoresInput) this.#waiting = [];
      else this.#waiting.shift();
    }
  }

  /** Allows reusing the memory of a frame's bytes, if it was collected; they must not be read any more. */
  recycle(bytes: Uint8Array): void {
    if (this.#gathered === undefined || this.#gathered.buffer !== bytes.buffer) return;
    giveBackMemory(this.#gathered);
    this.#gathered = undefined;
  }

  /** Handles the unit at `position` and returns the start of the next one. */
  #take(chunk: Buffer, position: number): number {
    const left = chunk.length - position;
    if (left < headerSize) return this.#hold(chunk, position, headerSize);
    if (this.#sink.awaitsProtocolHeader) {
      this.#sink.onProtocolHeader(chunk.subarray(position, position + headerSize));
      return position + headerSize;
    }
    const size = chunk.readUInt32BE(position);
    if (!this.#isAllowed(size)) return chunk.length;
    if (left < size) return this.#hold(chunk, position, size);
    this.#sink.onFrame(chunk, position, position + size);
    return position + size;
  }

  /** Begins to collect a unit of `size` bytes. */
  #hold(chunk: Buffer, position: number, size: number): number {
    this.#size = size;
    this.#filled = 0;
    const memory = takeMemory(chunk.length - position, size);
    if (!this.#sink.holdFrame(memory.length)) return chunk.length;
    this.#partial = memory;
    return this.#fill(memory, chunk, position);
  }

  #fill(partial: Buffer, chunk: Buffer, position: number): number {
    const end = Math.min(chunk.length, position + this.#size - this.#filled);
    const filled = this.#filled + end - position;
    const buffer = filled > partial.length ? this.#grow(partial, filled) : partial;
    if (buffer === undefined) return chunk.length;
    chunk.copy(buffer, this.#filled, position, end);
    this.#filled = filled;
    if (filled === this.#size) this.#complete(buffer);
    return end;
  }

  #grow(partial: Buffer, needed: number): Buffer | undefined {
    const grown = takeMemory(needed, this.#size);
    if (!this.#sink.holdFrame(grown.length - partial.length)) return undefined;
    partial.copy(grown, 0, 0, this.#filled);
    this.#partial = grown;
    return grown;
  }

  #complete(partial: Buffer): void {
    this.#partial = undefined;
    this.#sink.free(partial.length);
    if (this.#sink.awaitsProtocolHeader) {
      this.#sink.onProtocolHeader(partial);
      return;
    }
    const size = partial.readUInt32BE(0);
    if (!this.#isAllowed(size)) return;
    if (size === partial.length) {
      this.#gathered = partial;
      this.#sink.onFrame(partial, 0, size);
    } else this.#hold(partial, 0, size);
  }

  #isAllowed(size: number): boolean {
    const isAllowed = size >= headerSize && size <= this.#sink.maxFrameSize;
    if (!isAllowed) this.#sink.onFrameSizeError(size);
    return isAllowed;
  }
}
