/** Memory that a connection may hold on behalf of its peer, as its owner grants it. All in bytes. */
export interface MemoryBudget {
  /** Takes bytes; false when they are not to be had, and then nothing is taken. Must not call the connection. */
  take(bytes: number): boolean;
  /** Gives bytes back. */
  give(bytes: number): void;
}

/** What the parts of a connection cost besides the bytes that they hold, measured on Node.js 20 and rounded up. */
export const COSTS = Object.freeze({
  session: 4096,
  link: 4096,
  /** A delivery that awaits its settlement, or waits to be sent. */
  delivery: 384,
  /** A decoded value of a performative that is kept. */
  value: 48,
});

/** A budget without bounds. */
export const UNLIMITED: MemoryBudget = Object.freeze({ take: () => true, give: () => {} });

/** What a decoded performative costs that is kept: text may take two bytes a character. */
export function costOfPerformative(bytes: number, values: number): number {
  return 2 * bytes + values * COSTS.value;
}

/** Where a part of a connection gets the memory it holds. */
export interface MemoryHolder {
  /** Takes bytes; false when the connection may hold no more. */
  hold(bytes: number): boolean;
  /** Gives bytes back that were held. */
  letGo(bytes: number): void;
}
