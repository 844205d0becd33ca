/** Ways to the broker's one port. */
export type Way = "amqp" | "websocket" | "http";

/** What was acknowledged over all ways together, against what came. All clients are in one process, so its order is the order of events. */
export class PortLedger {
  readonly #acknowledged = new Map<string, Way>();
  readonly #tried = new Set<string>();
  readonly #got = new Set<string>();
  readonly #completeTried = new Set<string>();
  readonly #completed = new Set<string>();
  readonly #entities = new Map<string, "created" | "deleted" | "uncertain">();
  readonly #counts = new Map<string, number>();
  readonly errors = new Map<string, number>();
  readonly violations: string[] = [];
  #ids = 0;

  /** A new message id, about to be sent this way. */
  newMessage(way: Way): string {
    const id = `${way}-${++this.#ids}`;
    this.#tried.add(id);
    return id;
  }

  sent(way: Way, id: string): void {
    this.#acknowledged.set(id, way);
    this.#count(`${way} sent`);
  }

  got(way: Way, id: string): void {
    if (!this.#tried.has(id)) this.violations.push(`${id} came, and nobody sent it`);
    if (this.#completed.has(id)) this.violations.push(`${id} was completed and came again`);
    this.#got.add(id);
    this.#count(`${way} received`);
  }

  completing(id: string): void {
    this.#completeTried.add(id);
  }

  completed(way: Way, id: string): void {
    this.#completed.add(id);
    this.#count(`${way} completed`);
  }

  /** What an entity is while a call about it is on the way: it may happen without its answer. */
  entityUncertain(name: string): void {
    this.#entities.set(name, "uncertain");
  }

  entity(name: string, state: "created" | "deleted"): void {
    this.#entities.set(name, state);
    this.#count(`entities ${state}`);
  }

  answered(): void {
    this.#count("management answers");
  }

  error(where: string, error: unknown): void {
    const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown };
    const what = `${where} ${String(code ?? name ?? message)}`;
    this.errors.set(what, (this.errors.get(what) ?? 0) + 1);
  }

  /** Compares with what is left in the queue and which entities there are. */
  close(left: readonly string[], entities: ReadonlySet<string>): string[] {
    for (const id of left) this.got("amqp", id);
    for (const [id] of this.#acknowledged)
      if (!this.#got.has(id)) this.violations.push(`${id} was acknowledged and is lost`);
    const isLeft = new Set(left);
    for (const id of this.#got)
      if (!this.#completeTried.has(id) && !isLeft.has(id))
        this.violations.push(`${id} was received, not completed, and is lost`);
    for (const [name, state] of this.#entities) {
      if (state === "created" && !entities.has(name))
        this.violations.push(`${name} was created and is not there`);
      if (state === "deleted" && entities.has(name))
        this.violations.push(`${name} was deleted and is still there`);
    }
    for (const way of ["amqp", "websocket", "http"]) {
      for (const what of ["sent", "completed"])
        if (!this.#counts.has(`${way} ${what}`)) this.violations.push(`nothing was ${what} over ${way}`);
    }
    return [
      [...this.#counts].map(([what, count]) => `${what} ${count}`).join(", "),
      `${left.length} left at the end; errors of the clients: ${[...this.errors].map((pair) => pair.join(" ")).join(", ") || "none"}`,
    ];
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
