import type { CircuitChange } from "@waybill/core/transport";
import type { OpenCircuit } from "./beacon-store.js";

/** How many are announced; more say no more. */
const maxCircuits = 100;

/** The circuits of an instance that are open now. */
export class OpenCircuits {
  readonly #open = new Map<string, OpenCircuit>();

  /** Whether the change is to be announced: a circuit opened or closed. */
  note({ entityPath: entity, messageType, format, state }: CircuitChange, nowMs: number): boolean {
    const key = JSON.stringify([entity, messageType, format]);
    if (state === "closed") return this.#open.delete(key);
    // A circuit that is half open is being read again: it has not closed.
    if (this.#open.has(key) || this.#open.size === maxCircuits) return false;
    this.#open.set(key, { entity, messageType, format, since: new Date(nowMs).toISOString() });
    return true;
  }

  /** All of them, the oldest first. */
  list(): readonly OpenCircuit[] {
    return [...this.#open.values()];
  }
}
