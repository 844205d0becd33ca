import { BrokerError } from "../broker-error.js";
import type { Engine } from "../engine.js";

/** Throws `quota-exceeded` when the brokers of this process hold as much as it has memory for. */
export function requireMemory({ memory }: Engine, what: string, entity: string): void {
  if (!memory.isReached) return;
  throw new BrokerError(
    "quota-exceeded",
    `${what}: the brokers of this process hold as much as it has memory for. Receive messages first, or give it more memory.`,
    { entity },
  );
}
