import { once } from "node:events";

/** An order in version 1. */
export interface OrderV1 {
  readonly id: number;
  readonly total: string;
}

/** The arguments of a producer: the broker, and the orders to place. */
export const connectionString = process.env.SERVICEBUS_CONNECTION_STRING ?? "";
const [first = 1, last = 0] = process.argv.slice(2).map(Number);
export const orderIds: readonly number[] = Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** The price of an order: 9.90 for the first, and a cent more for each further one. */
export function centsOf(id: number): number {
  return 990 + id;
}

/** The same as a string, for version 1. */
export function totalOf(id: number): string {
  return (centsOf(id) / 100).toFixed(2);
}

/** Handles an order: here, prints a line for the check. `how` says which client read it, and in which format. */
export function handleOrder(id: number, cents: number, how: string): void {
  console.log(JSON.stringify({ id, cents, how }));
}

/** Resolves when the process is asked to stop: by a signal, or by the end of its input, for platforms without signals. */
export async function stopRequested(): Promise<void> {
  process.stdin.resume();
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT"), once(process.stdin, "end")]);
  process.stdin.pause();
}
