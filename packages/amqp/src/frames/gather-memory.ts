/** Frames up to this size are collected in memory of their full size. */
const firstSize = 65_536;
/** Frames below this size are collected in their own memory, which is cheap. */
const minShared = 16_384;
/** Larger memory is not reused. */
const maxKept = 256 * 1024;

/** Unused memory for the next large frame of any connection: allocating it each time would keep the garbage collector busy. */
let spare: Buffer | undefined;

/**
 * Memory for a frame of `size` bytes, with room for at least the `filled` bytes received. It grows with what has arrived: a peer that
 * announces much and sends little gets little.
 */
export function takeMemory(filled: number, size: number): Buffer {
  if (spare !== undefined && size >= minShared && size <= spare.length) {
    const memory = spare.subarray(0, size);
    spare = undefined;
    return memory;
  }
  return Buffer.allocUnsafe(Math.min(size, Math.max(firstSize, filled * 2)));
}

/** Returns the memory of a collected frame, which must not be read any more. */
export function giveBackMemory(memory: Buffer): void {
  if (memory.length < minShared || memory.buffer.byteLength > maxKept) return;
  if (spare === undefined || spare.length < memory.buffer.byteLength) spare = Buffer.from(memory.buffer);
}
