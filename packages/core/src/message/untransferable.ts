import { nodeBuiltin } from "../foundation/node-builtin.js";

interface WorkerThreads {
  markAsUntransferable(object: object): void;
}

const threads = nodeBuiltin<Partial<WorkerThreads>>("node:worker_threads");

/**
 * Returns memory that small bodies are cut from, piece by piece, after keeping it from being transferred to another thread with one of them: that would
 * empty all the others. Node.js refuses to transfer it, or copies it before version 21; a browser has no means to be notified.
 */
export function untransferable<Slab extends Uint8Array>(slab: Slab): Slab {
  threads?.markAsUntransferable?.(slab.buffer);
  return slab;
}
