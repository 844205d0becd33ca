import type { MemoryBudget } from "@waybill/amqp/server";
import type { MemoryPool, PoolMember } from "./memory-pool.js";

/** What a connection costs that does nothing, in bytes: its socket, its buffers and objects, measured and rounded up. */
const CONNECTION_COST = 24_576;

/** The memory of one connection, out of a pool that it shares with others. */
export class ConnectionBudget implements MemoryBudget, PoolMember {
  held = CONNECTION_COST;
  #pool: MemoryPool;
  #limit: number;
  readonly #onEvicted: () => void;
  #output = 0;
  #isOver = false;

  /** `onEvicted` is called when the connection has to go: it holds most of the pool, and others need it. */
  constructor(pool: MemoryPool, limit: number, onEvicted: () => void) {
    this.#pool = pool;
    this.#limit = limit;
    this.#onEvicted = onEvicted;
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

  /** Counts output that waits to be read, instead of what waited before; false when there is no room for it. */
  setOutput(bytes: number): boolean {
    const more = bytes - this.#output;
    if (more > 0 && !this.take(more)) return false;
    if (more < 0) this.give(-more);
    this.#output = bytes;
    return true;
  }

  /** Goes over to another pool and limit, with all that is held. */
  moveTo(pool: MemoryPool, limit: number): void {
    if (this.#isOver) return;
    this.#pool.leave(this);
    this.#pool = pool;
    this.#limit = limit;
    pool.join(this);
  }

  /** Makes room for at least so many bytes, as an entity with larger messages needs. */
  raiseLimit(bytes: number): void {
    this.#limit = Math.max(this.#limit, bytes);
  }

  evict(): void {
    this.#onEvicted();
  }

  /** Gives everything back; nothing is to be had any more. */
  close(): void {
    if (this.#isOver) return;
    this.#pool.leave(this);
    this.#isOver = true;
    this.held = 0;
  }
}
