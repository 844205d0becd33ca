/** A frame up to this size is gathered in memory that has room for it from the start. */
const FIRST_SIZE = 65_536;
/** Frames below this size are gathered in memory of their own, which costs little. */
const SMALLEST_SHARED = 16_384;
/** Larger memory is not kept. */
const LARGEST_KEPT = 256 * 1024;

/** Memory that nobody uses, for the next large frame of any connection: new memory for each would make the collector run all the time. */
let spare: Buffer | undefined;

/**
 * Memory for a frame of `size` bytes of which `filled` are there, with room for these at least. It grows with what has arrived: a peer
 * that announces much and sends little gets little.
 */
export function takeMemory(filled: number, size: number): Buffer {
  if (spare !== undefined && size >= SMALLEST_SHARED && size <= spare.length) {
    const memory = spare.subarray(0, size);
    spare = undefined;
    return memory;
  }
  return Buffer.allocUnsafe(Math.min(size, Math.max(FIRST_SIZE, filled * 2)));
}

/** Gives back the memory of a gathered frame, which nobody may read any more. */
export function giveBackMemory(memory: Buffer): void {
  if (memory.length < SMALLEST_SHARED || memory.buffer.byteLength > LARGEST_KEPT) return;
  if (spare === undefined || spare.length < memory.buffer.byteLength) spare = Buffer.from(memory.buffer);
}
