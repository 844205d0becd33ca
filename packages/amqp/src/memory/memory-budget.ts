/** The memory that a connection may hold for its peer, in bytes. */
export interface MemoryBudget {
  /** Takes bytes; returns false, and takes nothing, if they are not available. Must not call the connection. */
  take(bytes: number): boolean;
  /** Returns bytes. */
  give(bytes: number): void;
}

/** Memory of a connection's parts besides their bytes, measured on Node.js 20 and rounded up. */
export const costs = Object.freeze({
  session: 4096,
  link: 4096,
  /** An unsettled or queued delivery. */
  delivery: 384,
  /** A decoded value of a stored performative. */
  value: 48,
});

export const unlimited: MemoryBudget = Object.freeze({ take: () => true, give: () => {} });

/** Memory of a stored decoded performative: text may take two bytes per character. */
export function costOfPerformative(bytes: number, values: number): number {
  return 2 * bytes + values * costs.value;
}

/** Provides memory for a part of a connection. */
export interface MemoryHolder {
  /** Takes bytes; returns false if the connection may hold no more. */
  hold(bytes: number): boolean;
  /** Releases bytes. */
  free(bytes: number): void;
}
