import { once } from "node:events";

/** An order as version 1 has it on the wire. */
export interface OrderV1 {
  readonly id: number;
  readonly total: string;
}

/** What a producer is given: where the broker is, and which orders to place. */
export const connectionString = process.env.SERVICEBUS_CONNECTION_STRING ?? "";
const [first = 1, last = 0] = process.argv.slice(2).map(Number);
export const orderIds: readonly number[] = Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** What an order costs: 9.90 for the first, and a cent more for each that follows. */
export function centsOf(id: number): number {
  return 990 + id;
}

/** The same as a text, as version 1 has it. */
export function totalOf(id: number): string {
  return (centsOf(id) / 100).toFixed(2);
}

/** What the shop does with an order: here, a line for whoever counts. `how` says which client read it, and as what. */
export function handleOrder(id: number, cents: number, how: string): void {
  console.log(JSON.stringify({ id, cents, how }));
}

/** Resolves when the process is asked to stop: by a signal, or by the end of its input, for platforms without signals. */
export async function stopRequested(): Promise<void> {
  process.stdin.resume();
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT"), once(process.stdin, "end")]);
  process.stdin.pause();
}
