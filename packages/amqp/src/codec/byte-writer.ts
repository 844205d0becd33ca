const defaultChunkSize = 65_536;
/** Initial buffer size: many connections send little. */
const firstSize = 2048;
/** Above this size, copying a payload costs more than another element in the list of parts. */
const byReferenceSize = 16_384;

/**
 * Output waiting to be taken, in as few parts as possible. Taken bytes are never overwritten, so they can be passed to a socket without a
 * copy. Offsets kept across writes are relative to `mark`, because a full part moves to a larger buffer from `mark` on.
 */
export class ByteWriter {
  buffer: Buffer;
  position = 0;
  mark = 0;
  #start = 0;
  #parts: Uint8Array[] = [];
  #partsLength = 0;
  readonly #chunkSize: number;

  constructor(chunkSize: number = defaultChunkSize) {
    this.#chunkSize = chunkSize;
    this.buffer = Buffer.allocUnsafe(Math.min(chunkSize, firstSize));
  }

  /** Bytes written and not yet taken. */
  get length(): number {
    return this.#partsLength + this.position - this.#start;
  }

  /** Makes room for `size` more bytes at `position`. */
  ensure(size: number): void {
    if (this.position + size > this.buffer.length) this.#grow(size);
  }

  /** Appends bytes; large ones by reference, so they must not change until the output is written. */
  append(bytes: Uint8Array): void {
    if (bytes.length >= byReferenceSize) {
      this.mark = this.position;
      this.#cut();
      this.#push(bytes);
      return;
    }
    this.ensure(bytes.length);
    this.put(bytes);
  }

  /** Copies bytes. The caller must have ensured the space. */
  put(bytes: Uint8Array): void {
    this.buffer.set(bytes, this.position);
    this.position += bytes.length;
  }

  /** Everything written since the last call, in order. */
  take(): Uint8Array[] {
    this.mark = this.position;
    this.#cut();
    const parts = this.#parts;
    this.#parts = [];
    this.#partsLength = 0;
    return parts;
  }

  #grow(size: number): void {
    const kept = this.position - this.mark;
    const next = Buffer.allocUnsafe(Math.max(this.#chunkSize, (kept + size) * 2));
    this.buffer.copy(next, 0, this.mark, this.position);
    this.#cut();
    this.buffer = next;
    this.position = kept;
    this.#start = 0;
    this.mark = 0;
  }

  #cut(): void {
    if (this.mark > this.#start) this.#push(this.buffer.subarray(this.#start, this.mark));
    this.#start = this.mark;
  }

  #push(part: Uint8Array): void {
    this.#parts.push(part);
    this.#partsLength += part.length;
  }
}
