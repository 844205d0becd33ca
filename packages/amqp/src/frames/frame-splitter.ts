import { toBuffer } from "../codec/byte-reader.js";
import { giveBackMemory, takeMemory } from "./gather-memory.js";

/** Takes the units a stream is made of: protocol headers of 8 bytes, and frames. */
export interface FrameSink {
  /** Whether the next 8 bytes are a protocol header. */
  readonly awaitsProtocolHeader: boolean;
  /** The largest frame to accept, in bytes. */
  readonly maxFrameSize: number;
  /** Whether the rest of the input is to be thrown away. */
  readonly isDeaf: boolean;
  /** Whether the rest of the input has to wait for `proceed`. */
  readonly mustWait: boolean;
  /** Takes memory for a frame that comes in pieces; false when there is none, and then it must become deaf. */
  holdFrame(bytes: number): boolean;
  /** Gives that memory back. */
  letGo(bytes: number): void;
  onProtocolHeader(header: Buffer): void;
  /** A frame from `start` to `end`, its 8-byte header included. Must throw away views it keeps no use for. */
  onFrame(buffer: Buffer, start: number, end: number): void;
  /** A frame whose size no peer may send. Must become deaf. */
  onFrameSizeError(size: number): void;
}

const HEADER_SIZE = 8;

/**
 * Cuts a byte stream into frames (2.3). Whole frames are handed on in place; one that straddles pieces of
 * input is gathered, after its announced size was checked, in memory that grows with what has arrived.
 */
export class FrameSplitter {
  readonly #sink: FrameSink;
  #partial: Buffer | undefined;
  #filled = 0;
  /** How many bytes the unit in `#partial` will have. */
  #size = 0;
  /** The frame that was gathered last. */
  #gathered: Buffer | undefined;
  /** Input that waits for `proceed`. */
  #waiting: Buffer[] = [];

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Whether input waits for `proceed`. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  push(bytes: Uint8Array): void {
    if (this.#sink.isDeaf) return;
    this.#waiting.push(toBuffer(bytes));
    if (this.#waiting.length === 1) this.proceed();
  }

  /** Goes on with the input that waits, until the sink has it wait again. */
  proceed(): void {
    const sink = this.#sink;
    for (let chunk = this.#waiting[0]; chunk !== undefined; chunk = this.#waiting[0]) {
      let position = 0;
      while (position < chunk.length && !sink.isDeaf) {
        if (sink.mustWait) {
          this.#waiting[0] = chunk.subarray(position);
          return;
        }
        position = this.#partial ? this.#fill(this.#partial, chunk, position) : this.#take(chunk, position);
      }
      if (sink.isDeaf) this.#waiting = [];
      else this.#waiting.shift();
    }
  }

  /** Tells that nobody reads a frame's bytes any more; their memory is used again if the frame was gathered. */
  recycle(bytes: Uint8Array): void {
    if (this.#gathered === undefined || this.#gathered.buffer !== bytes.buffer) return;
    giveBackMemory(this.#gathered);
    this.#gathered = undefined;
  }

  /** Handles the unit that starts at `position` and returns where the next one starts. */
  #take(chunk: Buffer, position: number): number {
    const left = chunk.length - position;
    if (left < HEADER_SIZE) return this.#hold(chunk, position, HEADER_SIZE);
    if (this.#sink.awaitsProtocolHeader) {
      this.#sink.onProtocolHeader(chunk.subarray(position, position + HEADER_SIZE));
      return position + HEADER_SIZE;
    }
    const size = chunk.readUInt32BE(position);
    if (!this.#isAllowed(size)) return chunk.length;
    if (left < size) return this.#hold(chunk, position, size);
    this.#sink.onFrame(chunk, position, position + size);
    return position + size;
  }

  /** Begins to gather a unit of `size` bytes. */
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
    this.#sink.letGo(partial.length);
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
    const isAllowed = size >= HEADER_SIZE && size <= this.#sink.maxFrameSize;
    if (!isAllowed) this.#sink.onFrameSizeError(size);
    return isAllowed;
  }
}
