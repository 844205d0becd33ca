import type { ResolvedServeLimits } from "../options/serve-limits.js";
import { AmqpRefusal } from "../refusals/error.js";
import { ConnectionBudget } from "./connection-budget.js";
import { MemoryPool } from "./memory-pool.js";
import { Usage } from "./turns.js";

/** Lets connections in, and keeps those that have shown no token apart from the others: they cannot take what the others need. */
export class Admission {
  readonly #limits: ResolvedServeLimits;
  readonly #strangers: MemoryPool;
  readonly #known: MemoryPool;
  readonly #strangersUsage = new Usage();
  readonly #usageByKey = new Map<string, Usage>();

  constructor(limits: ResolvedServeLimits) {
    this.#limits = limits;
    this.#strangers = new MemoryPool(limits.unauthenticated.totalBytes);
    this.#known = new MemoryPool(limits.totalBytes);
  }

  /** The time that all clients of a key have had, or all of those that have shown none. */
  usageOf(key: string | undefined): Usage {
    if (key === undefined) return this.#strangersUsage;
    let usage = this.#usageByKey.get(key);
    if (usage === undefined) {
      usage = new Usage();
      this.#usageByKey.set(key, usage);
    }
    return usage;
  }

  /** Makes the budget of a new connection. `onEvicted` is called when the connection has to go, for the sake of others. */
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
