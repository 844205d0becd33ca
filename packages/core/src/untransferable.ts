interface WithProcess {
  readonly process?: { getBuiltinModule?(id: string): unknown };
}

interface WorkerThreads {
  markAsUntransferable(object: object): void;
}

// Core sees no Node types and imports no Node module, so that it loads in a browser; on Node the built-in is found at run time.
const threads = (globalThis as WithProcess).process?.getBuiltinModule?.("node:worker_threads") as
  | Partial<WorkerThreads>
  | undefined;

/**
 * Returns memory that small bodies are cut from, piece by piece, after keeping it from being transferred to another thread with one of them: that would
 * empty all the others. Node.js refuses to transfer it, or copies it before version 21; a browser has no means to be told.
 */
export function untransferable<Slab extends Uint8Array>(slab: Slab): Slab {
  threads?.markAsUntransferable?.(slab.buffer);
  return slab;
}
