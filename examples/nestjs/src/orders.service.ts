import { Injectable } from "@nestjs/common";
import type { Order } from "./messages.js";

/** An order that nobody can deliver, however often it is tried. */
export class InvalidOrder extends Error {}

@Injectable()
export class OrdersService {
  readonly placed: Order[] = [];

  place(order: Order): void {
    if (order.items < 1) throw new InvalidOrder("An order needs items.");
    this.placed.push(order);
  }

  priceOf(item: string): number {
    return item.length;
  }
}
