import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Pipeline, type ReceivedMessage, WaybillClient } from "@waybill/core";
import { recordReads } from "@waybill/migration/census";
import { announceReader } from "@waybill/migration/plan";
import { type Fixture, orders } from "./fixture.js";
import type { Order } from "./order-placed.js";

/** The outcome of an order in the warehouse. */
export type Decision = "ship" | "defer" | "fail";

/** The reader: ships orders, defers those that are out of stock, and dead-letters those that it cannot handle. */
export class Warehouse {
  readonly #fixture: Fixture;
  readonly #pipeline: Pipeline;
  readonly #client: WaybillClient;
  readonly #toOrder: (body: never) => Order;

  constructor(fixture: Fixture, pipeline: Pipeline, toOrder: (body: never) => Order) {
    this.#fixture = fixture;
    this.#pipeline = pipeline;
    this.#client = new WaybillClient(fixture.transport, { pipeline });
    this.#toOrder = toOrder;
  }

  /** Announces what this instance reads, before it receives anything. */
  async announce(instance: string): Promise<void> {
    const { beacons, transport } = this.#fixture;
    const options = { reader: "warehouse", entities: [orders], instance, scheduler: transport.scheduler };
    // It runs until the end of the day; its beacon expires ten minutes later.
    await announceReader(beacons, this.#pipeline, options);
  }

  /** Receives up to `count` orders from the queue, and records what formats and versions they had. */
  async work(most: number, decide: (order: Order) => Decision = () => "ship"): Promise<void> {
    const { reads, transport } = this.#fixture;
    const options = { reader: "warehouse", instance: "host-1", scheduler: transport.scheduler };
    await using recording = await recordReads(this.#pipeline, reads, options);
    await using client = new WaybillClient(transport, { pipeline: recording.pipeline });
    await using receiver = client.createReceiver(orders);
    for (let left = most; left > 0; ) {
      const messages = await receiver.receiveMessages(left, { maxWaitTimeInMs: 0 });
      if (messages.length === 0) return;
      left -= messages.length;
      for (const message of messages) {
        const order = this.#orderIn(message);
        const decision = decide(order);
        if (decision === "defer") {
          this.#deferred = [...this.#deferred, message.sequenceNumber];
          await receiver.deferMessage(message);
        } else if (decision === "fail") {
          await receiver.deadLetterMessage(message, { deadLetterReason: "NoTaxRate" });
        } else {
          this.#fixture.ledger.note("handled", order);
          await receiver.completeMessage(message);
        }
      }
    }
  }

  /** Ships the deferred orders, which are in stock again. */
  async shipDeferred(): Promise<void> {
    await using receiver = this.#client.createReceiver(orders);
    for (const message of await receiver.receiveDeferredMessages(this.#deferred)) {
      this.#fixture.ledger.note("handled", this.#orderIn(message));
      await receiver.completeMessage(message);
    }
    this.#deferred = [];
  }

  #orderIn(message: ReceivedMessage): Order {
    return this.#toOrder(message.body as never);
  }

  /** Deferred messages can only be received by sequence number, so the numbers are kept. */
  get #deferred(): readonly bigint[] {
    if (!existsSync(this.#path)) return [];
    return (JSON.parse(readFileSync(this.#path, "utf8")) as string[]).map(BigInt);
  }

  set #deferred(numbers: readonly bigint[]) {
    writeFileSync(this.#path, JSON.stringify(numbers.map(String)));
  }

  get #path(): string {
    return join(this.#fixture.directory, "deferred.json");
  }
}
