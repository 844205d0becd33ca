import { type Message, type Pipeline, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { type Fixture, orders } from "./fixture.js";
import type { Order } from "./order-placed.js";

/** Orders from one number to another, with different prices. */
export function ordersFrom(first: number, last: number, prefix = "o"): Order[] {
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index;
    return { id: `${prefix}-${number}`, cents: 1_000 + number * 7 };
  });
}

/** The order service of the shop: the pipeline, with its write plan, decides what is written. */
export class Shop {
  readonly #fixture: Fixture;
  readonly #client: WaybillClient;
  readonly #toMessage: (order: Order) => Message;

  constructor(fixture: Fixture, pipeline: Pipeline, toMessage: (order: Order) => Message) {
    this.#fixture = fixture;
    this.#client = new WaybillClient(fixture.transport, { pipeline });
    this.#toMessage = toMessage;
  }

  /** Places orders, and records them when the broker has acknowledged them. */
  async place(placed: readonly Order[]): Promise<void> {
    await this.#client.createSender(orders).sendMessages(placed.map(this.#toMessage));
    for (const order of placed) this.#fixture.ledger.note("sent", order);
  }

  /** Places orders that become visible in some days. */
  async preorder(placed: readonly Order[], days: number): Promise<void> {
    const at = new Date(this.#fixture.clock.now() + days * 86_400_000);
    await this.#client.createSender(orders).scheduleMessages(placed.map(this.#toMessage), at);
    for (const order of placed) this.#fixture.ledger.note("sent", order);
  }
}

/** A partner's old program. It writes JSON by hand, with the total as a number. */
export async function partnerPlaces(fixture: Fixture, placed: readonly Order[]): Promise<void> {
  const client = new WaybillClient(fixture.transport, { serializer: json() });
  await client.createSender(orders).sendMessages(
    placed.map(({ id, cents }) => ({
      messageId: id,
      subject: "order-placed",
      body: { id, total: cents / 100 },
    })),
  );
  for (const order of placed) fixture.ledger.note("sent", order);
}
