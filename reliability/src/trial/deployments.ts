import type { Random } from "waybill-harness/random.js";
import type { OrderConsumer, OrderPrograms } from "./order-programs.js";

/** The running consumers of orders: those of the newest deployment, and one of each earlier deployment that was forgotten. */
export class Deployments {
  readonly #orders: OrderPrograms;
  readonly #random: Random;
  readonly #forgotten = new Map<string, OrderConsumer>();
  readonly #killed: OrderConsumer[] = [];
  #newest: OrderConsumer[] = [];
  #step = "";

  constructor(orders: OrderPrograms, random: Random) {
    this.#orders = orders;
    this.#random = random;
  }

  /** Starts instances of a step, and stops those of the one before, except for one. */
  async deploy(step: string, count: number): Promise<void> {
    const [left, ...stopped] = this.#newest;
    const again = this.#forgotten.get(this.#step);
    if (left !== undefined) this.#forgotten.set(this.#step, left);
    if (again !== undefined) stopped.push(again);
    this.#step = step;
    this.#newest = Array.from({ length: count }, () => this.#orders.consumer(step));
    await Promise.all(stopped.map((program) => program.stop()));
  }

  /** Stops the forgotten instance of a step, or of all. */
  async stopForgotten(steps: readonly string[] = [...this.#forgotten.keys()]): Promise<void> {
    await Promise.all(steps.map((step) => this.#forgotten.get(step)?.stop()));
    for (const step of steps) this.#forgotten.delete(step);
  }

  /** Kills an instance of the newest deployment, and starts another. */
  async killOne(): Promise<void> {
    const at = this.#random(this.#newest.length);
    await this.#kill(this.#newest.splice(at, 1));
    this.#newest.push(this.#orders.consumer(this.#step));
  }

  async killAll(): Promise<void> {
    await this.#kill([...this.#forgotten.values(), ...this.#newest]);
    this.#forgotten.clear();
    this.#newest = [];
  }

  /** Whether all instances of the newest deployment are among those that announced themselves. */
  areAnnounced(instances: readonly string[]): boolean {
    return this.#newest.every((program) => program.isAmong(instances));
  }

  /** Whether an instance that announced itself was killed. */
  wasKilled(instance: string): boolean {
    return this.#killed.some((program) => program.isAmong([instance]));
  }

  async stop(): Promise<void> {
    await this.stopForgotten();
    await Promise.all(this.#newest.map((program) => program.stop()));
  }

  async #kill(programs: readonly OrderConsumer[]): Promise<void> {
    this.#killed.push(...programs);
    await Promise.all(programs.map((program) => program.kill()));
  }
}
