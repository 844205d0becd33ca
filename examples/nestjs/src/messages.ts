import { bodyType, defineMessage } from "@waybill/core";

export interface Order {
  readonly orderId: string;
  readonly items: number;
}

export const orderPlaced = defineMessage("order-placed", { version: 1, schemas: { 1: bodyType<Order>() } });
export const priceAsked = defineMessage("price-asked", {
  version: 1,
  schemas: { 1: bodyType<{ readonly item: string }>() },
});

export const messageTypes = [orderPlaced, priceAsked];
