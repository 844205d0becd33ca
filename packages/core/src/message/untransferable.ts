import { nodeBuiltin } from "@waybill/foundation";

interface WorkerThreads {
  markAsUntransferable(object: object): void;
}

const threads = nodeBuiltin<Partial<WorkerThreads>>("node:worker_threads");

/**
 * Marks memory shared by several small bodies as untransferable, and returns it: transferring one of them to another thread would detach
 * the others. Node.js then refuses to transfer it, or copies it before version 21; browsers have no such mark.
 */
export function untransferable<Slab extends Uint8Array>(slab: Slab): Slab {
  threads?.markAsUntransferable?.(slab.buffer);
  return slab;
}
