import { type Message, type Pipeline, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import type { Order } from "./order-placed.js";
import { orders, type World } from "./world.js";

/** Orders from one number to another, with prices that tell them apart. */
export function ordersFrom(first: number, last: number, prefix = "o"): Order[] {
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index;
    return { id: `${prefix}-${number}`, cents: 1_000 + number * 7 };
  });
}

/** The order service of the shop: what is written on the wire is the pipeline's to say, and with it the write plan's. */
export class Shop {
  readonly #world: World;
  readonly #client: WaybillClient;
  readonly #toMessage: (order: Order) => Message;

  constructor(world: World, pipeline: Pipeline, toMessage: (order: Order) => Message) {
    this.#world = world;
    this.#client = new WaybillClient(world.transport, { pipeline });
    this.#toMessage = toMessage;
  }

  /** Places orders; they are in the ledger once the broker has acknowledged them. */
  async place(placed: readonly Order[]): Promise<void> {
    await this.#client.createSender(orders).sendMessages(placed.map(this.#toMessage));
    for (const order of placed) this.#world.ledger.note("sent", order);
  }

  /** Places orders that become visible in some days. */
  async preorder(placed: readonly Order[], days: number): Promise<void> {
    const at = new Date(this.#world.clock.now() + days * 86_400_000);
    await this.#client.createSender(orders).scheduleMessages(placed.map(this.#toMessage), at);
    for (const order of placed) this.#world.ledger.note("sent", order);
  }
}

/** A partner's program that nobody has looked at for years. It writes JSON by hand, the total as a number. */
export async function partnerPlaces(world: World, placed: readonly Order[]): Promise<void> {
  const client = new WaybillClient(world.transport, { serializer: json() });
  await client.createSender(orders).sendMessages(
    placed.map(({ id, cents }) => ({
      messageId: id,
      subject: "order-placed",
      body: { id, total: cents / 100 },
    })),
  );
  for (const order of placed) world.ledger.note("sent", order);
}
