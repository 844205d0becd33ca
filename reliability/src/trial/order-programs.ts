import { fileURLToPath } from "node:url";
import { until } from "waybill-harness/waiting.js";
import { Program } from "./program.js";
import type { TrialLedger } from "./trial-ledger.js";

/** A line of the consumers in `examples/coming-from-azure`. */
interface HandledOrder {
  readonly id: number;
  readonly cents: number;
  readonly how: string;
}

/** A consumer of orders. */
export type OrderConsumer = Program<HandledOrder>;

/** Which orders a producer is to place. */
export interface Order {
  /** The deployment of the producer, such as `5-write-avro`. */
  readonly step: string;
  readonly count: number;
  /** The share of orders that it is to write in the new format. */
  readonly percent?: number | undefined;
}

/** How a producer ended: a guard refused to let it start, or it failed with another error. */
export type Placement =
  | { readonly how: "placed" }
  | { readonly how: "refused"; readonly objections: string }
  | { readonly how: "failed"; readonly error: string };

/** The deployments of the guide: the programs of its example, as they are. */
const examples = new URL("../../../examples/coming-from-azure/dist/", import.meta.url);

/** What a producer prints when the guard of its write plan objects. */
const refusal = /\[operation-invalid\] "order-placed" is not written as avro version 2 at \d+ %: (.*)$/;

/** The price of an order in the example. */
function centsOf(id: number): number {
  return 990 + id;
}

/** Starts and runs the programs of the guide, which place and handle orders. */
export class OrderPrograms {
  readonly #ledger: TrialLedger;
  readonly #connectionString: () => string;
  #placed = 0;
  #running = 0;

  constructor(ledger: TrialLedger, connectionString: () => string) {
    this.#ledger = ledger;
    this.#connectionString = connectionString;
  }

  /** How many consumers run. */
  get running(): number {
    return this.#running;
  }

  /** Starts a consumer, such as `3-message-type`. */
  consumer(step: string): OrderConsumer {
    const name = `${step}/consumer`;
    const path = fileURLToPath(new URL(`${name}.js`, examples));
    const program = new Program<HandledOrder>(name, path, [], this.#env(), ({ id, cents, how }) =>
      this.#ledger.handled(`order-${id}`, cents === centsOf(id), how),
    );
    this.#running++;
    void program.exit.then((code) => {
      this.#running--;
      if (code !== null && code !== 0)
        this.#ledger.violation(`${name} ended with ${code}: ${lastOf(program.complaints)}`);
    });
    return program;
  }

  /** Places orders with a producer. */
  async place(order: Order): Promise<Placement> {
    const ids = this.#nextIds(order);
    const program = this.#producer(order, ids);
    if ((await program.exit) === 0) {
      for (const id of ids) this.#ledger.sent(`order-${id}`);
      return { how: "placed" };
    }
    const objections = program.complaints.map((line) => refusal.exec(line)?.[1]).find((text) => text);
    if (objections === undefined) return { how: "failed", error: lastOf(program.complaints) };
    // The guard is asked before anything is sent.
    for (const id of ids) this.#ledger.notSent(`order-${id}`);
    return { how: "refused", objections };
  }

  /** Starts to place orders and kills the producer once the first of them is handled: how many of them exist is not known. */
  async placeAndKill(order: Order): Promise<void> {
    const ids = this.#nextIds(order);
    const program = this.#producer(order, ids);
    let hasEnded = false;
    void program.exit.then(() => (hasEnded = true));
    await until(() => hasEnded || this.#ledger.isHandled(`order-${ids[0]}`));
    await program.kill();
  }

  #nextIds({ count }: Order): number[] {
    const ids = Array.from({ length: count }, (_, at) => this.#placed + 1 + at);
    this.#placed += count;
    for (const id of ids) this.#ledger.trying(`order-${id}`);
    return ids;
  }

  #producer({ step, percent }: Order, ids: readonly number[]): Program<never> {
    const program = fileURLToPath(new URL(`${step}/producer.js`, examples));
    const share =
      percent === undefined
        ? {}
        : { WRITE_NEW_PERCENT: String(percent), WAREHOUSE_INSTANCES: String(Math.max(1, this.#running)) };
    const range = [ids.at(0) ?? 1, ids.at(-1) ?? 0];
    return new Program(`${step}/producer`, program, range, { ...this.#env(), ...share }, () => {});
  }

  #env(): Record<string, string> {
    return { SERVICEBUS_CONNECTION_STRING: this.#connectionString() };
  }
}

/** The error with which a program ended, as Node.js prints it. */
function lastOf(complaints: readonly string[]): string {
  return complaints.find((line) => /^\w*Error\b/.test(line)) ?? complaints.join(" ").slice(0, 500);
}
