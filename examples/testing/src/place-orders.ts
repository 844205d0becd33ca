import type { WaybillClient } from "@waybill/core";

/** What is tested: takes orders, and reports each that was placed. */
export function placeOrders(client: WaybillClient): { close(): Promise<void> } {
  const placed = client.createSender("placed");
  return client.createReceiver("orders").subscribe({
    async processMessage({ body }) {
      const { id, amount } = body as { readonly id: number; readonly amount: number };
      if (amount <= 0) throw new Error(`Order ${id} is of nothing.`);
      await placed.sendMessages({ body: { id }, subject: "order-placed" });
    },
    async processError() {},
  });
}
