// #region imports
import { Controller, Inject, UseFilters } from "@nestjs/common";
import { Ctx } from "@nestjs/microservices";
import type { BodyOf, Sender } from "@waybill/core";
import { InjectSender, MessageHandler, RequestHandler, type WaybillContext } from "@waybill/nestjs";
import { InvalidOrderFilter } from "./invalid-order.filter.js";
import { orderPlaced, priceAsked } from "./messages.js";
import { OrdersService } from "./orders.service.js";
// #endregion

// #region controller
@Controller()
@UseFilters(InvalidOrderFilter)
export class OrdersController {
  readonly #orders: OrdersService;
  readonly #shipments: Sender;

  constructor(@Inject(OrdersService) orders: OrdersService, @InjectSender("shipments") shipments: Sender) {
    this.#orders = orders;
    this.#shipments = shipments;
  }

  @MessageHandler(orderPlaced)
  async place(order: BodyOf<typeof orderPlaced>, @Ctx() { message }: WaybillContext): Promise<void> {
    this.#orders.place(order);
    await this.#shipments.sendMessages({ messageId: `ship-${message.messageId}`, body: order });
  }

  @RequestHandler(priceAsked)
  price({ item }: BodyOf<typeof priceAsked>): { item: string; price: number } {
    return { item, price: this.#orders.priceOf(item) };
  }
}
// #endregion
