import type { MemoryBudget } from "@waybill/amqp/server";
import type { MemoryPool } from "./memory-pool.js";

/** Memory of an idle connection: its socket, buffers and objects, measured and rounded up, in bytes. */
const connectionCost = 24_576;

/** The memory of one connection, from a pool shared with others. */
export class ConnectionBudget implements MemoryBudget {
  /** In bytes. */
  held = connectionCost;
  /** Has the connection closed, because others need memory and it holds most. */
  readonly evict: () => void;
  #pool: MemoryPool;
  #limit: number;
  #output = 0;
  #isOver = false;

  constructor(pool: MemoryPool, limit: number, evict: () => void) {
    this.#pool = pool;
    this.#limit = limit;
    this.evict = evict;
    pool.join(this);
  }

  take(bytes: number): boolean {
    if (this.#isOver || this.held + bytes > this.#limit || !this.#pool.take(this, bytes)) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    if (this.#isOver) return;
    this.held -= bytes;
    this.#pool.give(bytes);
  }

  /** Sets the amount of unread output; returns false if there is no room for it. */
  setOutput(bytes: number): boolean {
    const more = bytes - this.#output;
    if (more > 0 && !this.take(more)) return false;
    if (more < 0) this.give(-more);
    this.#output = bytes;
    return true;
  }

  /** Moves to another pool and limit, with everything held. */
  moveTo(pool: MemoryPool, limit: number): void {
    if (this.#isOver) return;
    this.#pool.leave(this);
    this.#pool = pool;
    this.#limit = limit;
    pool.join(this);
  }

  /** Raises the limit to at least this many bytes, for entities with larger messages. */
  raiseLimit(bytes: number): void {
    this.#limit = Math.max(this.#limit, bytes);
  }

  /** Releases everything; nothing can be taken afterwards. */
  close(): void {
    if (this.#isOver) return;
    this.#pool.leave(this);
    this.#isOver = true;
    this.held = 0;
  }
}
