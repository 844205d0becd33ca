import type { ResolvedServeLimits } from "../../serve-limits.js";
import { AmqpRefusal } from "../error.js";
import { ConnectionBudget } from "./connection-budget.js";
import { MemoryPool } from "./memory-pool.js";

/** Lets connections in, and keeps those that have shown no token apart from the others: they cannot take what the others need. */
export class Admission {
  readonly #limits: ResolvedServeLimits;
  readonly #strangers: MemoryPool;
  readonly #known: MemoryPool;

  constructor(limits: ResolvedServeLimits) {
    this.#limits = limits;
    this.#strangers = new MemoryPool(limits.unauthenticated.totalBytes);
    this.#known = new MemoryPool(limits.totalBytes);
  }

  /** Makes the budget of a new connection. `onEvicted` is told when the connection has to go, for the sake of others. */
  admit(onEvicted: (refusal: AmqpRefusal) => void): ConnectionBudget {
    const { connections, connectionBytes } = this.#limits.unauthenticated;
    if (this.#strangers.size >= connections) this.#strangers.oldest?.evict();
    return new ConnectionBudget(this.#strangers, connectionBytes, () =>
      onEvicted(refusal("Others need the memory that this connection holds.")),
    );
  }

  /** Gives a connection whose client is known its full budget; returns why not, if there are too many of them. */
  trust(budget: ConnectionBudget): AmqpRefusal | undefined {
    const { connections, connectionBytes } = this.#limits;
    if (this.#known.size >= connections) {
      return refusal(`The server has ${connections} connections, and takes no more.`);
    }
    budget.moveTo(this.#known, connectionBytes);
    return undefined;
  }
}

function refusal(text: string): AmqpRefusal {
  return new AmqpRefusal("amqp:resource-limit-exceeded", text, 403);
}
