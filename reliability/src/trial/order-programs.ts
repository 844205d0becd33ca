import { fileURLToPath } from "node:url";
import { Program } from "./program.js";
import type { TrialLedger } from "./trial-ledger.js";

/** A line of the consumers in `examples/coming-from-azure`. */
interface HandledOrder {
  readonly id: number;
  readonly cents: number;
  readonly how: string;
}

/** The deployments of the guide: the programs of its example, as they are. */
const examples = new URL("../../../examples/coming-from-azure/dist/", import.meta.url);

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

  /** Starts a consumer, such as `3-message-type`. */
  consumer(step: string): Program<HandledOrder> {
    const path = fileURLToPath(new URL(`${step}/consumer.js`, examples));
    const program = new Program<HandledOrder>(
      `${step}/consumer`,
      path,
      [],
      this.#env(),
      ({ id, cents, how }) => this.#ledger.handled(`order-${id}`, cents === centsOf(id), how),
    );
    this.#running++;
    void program.exit.then(() => this.#running--);
    return program;
  }

  /**
   * Places so many orders with a producer of a step, and resolves with whether it succeeded. `percent` is the share of orders that it is to
   * write in the new format.
   */
  async place(step: string, count: number, percent?: number): Promise<"placed" | "refused" | "killed"> {
    const [first, last] = [this.#placed + 1, this.#placed + count];
    const program = this.#producer(step, first, last, percent);
    const code = await program.exit;
    if (code === null) return "killed";
    if (code !== 0) return "refused";
    for (let id = first; id <= last; id++) this.#ledger.sent(`order-${id}`);
    return "placed";
  }

  /** Starts to place orders and kills the producer in the midst of it: some of them exist. */
  async placeAndKill(step: string, count: number, afterMs: number): Promise<void> {
    const program = this.#producer(step, this.#placed + 1, this.#placed + count);
    const timer = setTimeout(() => void program.kill(), afterMs);
    await program.exit;
    clearTimeout(timer);
  }

  #producer(step: string, first: number, last: number, percent?: number): Program<never> {
    this.#placed = last;
    for (let id = first; id <= last; id++) this.#ledger.trying(`order-${id}`);
    const program = fileURLToPath(new URL(`${step}/producer.js`, examples));
    const share =
      percent === undefined
        ? {}
        : { WRITE_NEW_PERCENT: String(percent), WAREHOUSE_INSTANCES: String(Math.max(1, this.#running)) };
    return new Program(`${step}/producer`, program, [first, last], { ...this.#env(), ...share }, () => {});
  }

  #env(): Record<string, string> {
    return { SERVICEBUS_CONNECTION_STRING: this.#connectionString() };
  }
}
