import type { ResolvedServeLimits } from "../options/serve-limits.js";
import { type AmqpRefusal, limitExceeded } from "../refusals/error.js";
import { ConnectionBudget } from "./connection-budget.js";
import { MemoryPool } from "./memory-pool.js";
import { Usage } from "./turns.js";

/** Accepts connections and keeps unauthenticated ones separate, so that they cannot use up the resources of others. */
export class Admission {
  readonly #limits: ResolvedServeLimits;
  readonly #unauthenticated: MemoryPool;
  readonly #authenticated: MemoryPool;
  readonly #unauthenticatedUsage = new Usage();
  readonly #usageByKey = new Map<string, Usage>();

  constructor(limits: ResolvedServeLimits) {
    this.#limits = limits;
    this.#unauthenticated = new MemoryPool(limits.unauthenticated.totalBytes);
    this.#authenticated = new MemoryPool(limits.totalBytes);
  }

  /** The time used by all clients of a key, or by all unauthenticated clients. */
  usageOf(key: string | undefined): Usage {
    if (key === undefined) return this.#unauthenticatedUsage;
    let usage = this.#usageByKey.get(key);
    if (usage === undefined) {
      usage = new Usage();
      this.#usageByKey.set(key, usage);
    }
    return usage;
  }

  /** Creates the budget of a new connection. `onEvicted` is called when the connection must be closed because others need its resources. */
  admit(onEvicted: (refusal: AmqpRefusal) => void): ConnectionBudget {
    const { connections, connectionBytes } = this.#limits.unauthenticated;
    if (this.#unauthenticated.size >= connections) this.#unauthenticated.oldest?.evict();
    return new ConnectionBudget(this.#unauthenticated, connectionBytes, () =>
      onEvicted(limitExceeded("The server needs this connection's memory for other connections.")),
    );
  }

  /** Gives an authenticated connection its full budget; returns an error if there are too many of them. */
  trust(budget: ConnectionBudget): AmqpRefusal | undefined {
    const { connections, connectionBytes } = this.#limits;
    if (this.#authenticated.size >= connections) {
      return limitExceeded(`The server has ${connections} connections, which is the maximum.`);
    }
    budget.moveTo(this.#authenticated, connectionBytes);
    return undefined;
  }
}
