/** Frames up to this size are collected in memory of their full size. */
const FIRST_SIZE = 65_536;
/** Frames below this size are collected in their own memory, which is cheap. */
const MIN_SHARED = 16_384;
/** Larger memory is not reused. */
const MAX_KEPT = 256 * 1024;

/** Unused memory for the next large frame of any connection: allocating it each time would keep the garbage collector busy. */
let spare: Buffer | undefined;

/**
 * Memory for a frame of `size` bytes, with room for at least the `filled` bytes received. It grows with what has arrived: a peer that
 * announces much and sends little gets little.
 */
export function takeMemory(filled: number, size: number): Buffer {
  if (spare !== undefined && size >= MIN_SHARED && size <= spare.length) {
    const memory = spare.subarray(0, size);
    spare = undefined;
    return memory;
  }
  return Buffer.allocUnsafe(Math.min(size, Math.max(FIRST_SIZE, filled * 2)));
}

/** Returns the memory of a collected frame, which must not be read any more. */
export function giveBackMemory(memory: Buffer): void {
  if (memory.length < MIN_SHARED || memory.buffer.byteLength > MAX_KEPT) return;
  if (spare === undefined || spare.length < memory.buffer.byteLength) spare = Buffer.from(memory.buffer);
}
