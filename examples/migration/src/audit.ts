import type { Order } from "./order-placed.js";

/** The ids of orders that were not handled correctly. */
export interface Audit {
  readonly sent: number;
  /** Sent and never handled. */
  readonly lost: readonly string[];
  /** Handled more than once. */
  readonly repeated: readonly string[];
  /** Handled with another amount than was sent. */
  readonly altered: readonly string[];
  /** Handled and never sent. */
  readonly invented: readonly string[];
}

/** Compares, by id, what was sent with what was handled. */
export function audit(sent: readonly Order[], handled: readonly Order[]): Audit {
  const byId = grouped(handled);
  const sentIds = new Set(sent.map(({ id }) => id));
  return {
    sent: sent.length,
    lost: ids(sent.filter(({ id }) => !byId.has(id))),
    repeated: [...byId].filter(([, orders]) => orders.length > 1).map(([id]) => id),
    altered: ids(sent.filter(({ id, cents }) => byId.get(id)?.some((order) => order.cents !== cents))),
    invented: [...byId.keys()].filter((id) => !sentIds.has(id)),
  };
}

/** Whether each order was handled once, as it was sent. */
export function isClean({ sent, lost, repeated, altered, invented }: Audit): boolean {
  return sent > 0 && [lost, repeated, altered, invented].every(({ length }) => length === 0);
}

function grouped(orders: readonly Order[]): Map<string, Order[]> {
  const byId = new Map<string, Order[]>();
  for (const order of orders) byId.set(order.id, [...(byId.get(order.id) ?? []), order]);
  return byId;
}

function ids(orders: readonly Order[]): string[] {
  return orders.map(({ id }) => id);
}
